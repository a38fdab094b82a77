"""JSON files that a user and other programs change, too: settings and hooks of clients."""

import json
import os

from holdfast.core import files
from holdfast.core.errors import HoldfastError


def read(path: str) -> "tuple[str, dict[str, object]]":
    """Return the text of a file and the object in it, "" and {} without a file; HoldfastError for anything else."""
    try:
        found = files.read(path).decode()
    except FileNotFoundError:
        return "", {}
    except ValueError:
        raise HoldfastError(f"{path} is not UTF-8; correct that.") from None
    try:
        value = json.loads(found) if found.strip() else {}
    except ValueError as error:
        raise HoldfastError(f"{path} is not JSON ({error}); correct that.") from None
    if not isinstance(value, dict):
        raise HoldfastError(f"{path} is not a JSON object; correct that.")
    return found, value


def text(value: "dict[str, object]") -> str:
    """Return an object in the form in which clients write their settings."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def write(path: str, content: str) -> None:
    """Replace a file, whose folder is made."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    files.write_atomic(path, content.encode())
