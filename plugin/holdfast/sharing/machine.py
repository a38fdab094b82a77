"""The id of this machine: made once in the user's data folder, and given up when another machine has the same."""

import os

from holdfast.core import fast_json, files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import text_of, texts_of
from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.project.paths import Project

_LENGTH = 20  # hexadecimal digits
_SHOWN = 6  # digits that people see
_HOST = 60  # characters of a machine's name


def is_ident(name: str) -> bool:
    """Whether a text can be the id of a machine."""
    return len(name) == _LENGTH and not name.strip("0123456789abcdef")


def new() -> str:
    """Return a new id."""
    return os.urandom(_LENGTH // 2).hex()


def short(ident: str) -> str:
    """Return the beginning of an id, for people."""
    return ident[:_SHOWN]


def host() -> str:
    """Return the name of this machine."""
    return os.uname().nodename[:_HOST]


def claim(project: "Project") -> str:
    """Return the id of this machine, and record that this project uses it.

    HoldfastError where there is no data folder, for one without a home directory.
    """
    path = _path()
    if not path:
        raise HoldfastError("there is no place for the id of this machine. Set HOME or HOLDFAST_DATA.")
    known = fast_json.read_object(path)
    ident = text_of(known, "id")
    ident = ident if is_ident(ident) else new()
    _write(path, ident, {*texts_of(known, "projects"), project.common})
    return ident


def release(project: "Project") -> None:
    """Record that a project does not use the id any more; with the last one the id is forgotten."""
    path = _path()
    known = fast_json.read_object(path) if path else {}
    left = {*texts_of(known, "projects")} - {project.common}
    if left:
        _write(path, text_of(known, "id"), left)
    elif known:
        files.unlink_quietly(path)


def _write(path: str, ident: str, projects: set[str]) -> None:
    row = {"id": ident, "projects": sorted(projects)}
    files.write_private(path, fast_json.dumps(row).encode() + b"\n")


def _path() -> str:
    data = paths.data_dir(os.environ)
    return data and data + "/machine"
