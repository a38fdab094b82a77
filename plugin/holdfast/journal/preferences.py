"""What the user prefers in all sessions: corrections that a person or the model has confirmed, a line for each."""

from holdfast.core import fast_json, files
from holdfast.core.fast_json import number_of, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Preference = tuple[float, str]  # when it was said, in seconds since 1970, and its words

MOST = 5  # in a brief
KEPT, DROPPED = "kept", "dropped"
_FILE = "/preferences.jsonl"


def path_of(store: str) -> str:
    """Return the path of the file that has them."""
    return store + _FILE


def read(store: str) -> "dict[str, list[Preference]]":
    """Return those that were kept and those that were dropped, by these words; the latest word about each counts."""
    lines = (files.read_or_none(path_of(store)) or b"").splitlines()
    rows = {text_of(row, "text"): row for row in map(fast_json.object_in, lines) if text_of(row, "text")}
    return {
        word: [(number_of(row, "said"), text) for text, row in rows.items() if text_of(row, "status") == word]
        for word in (KEPT, DROPPED)
    }


def forget(store: str, fits: "Callable[[str], bool]") -> None:
    """Remove those whose words fit; OSError when that cannot be written."""
    before = files.read_or_none(path_of(store)) or b""
    kept = [line for line in before.splitlines() if not fits(text_of(fast_json.object_in(line), "text"))]
    if len(kept) < len(before.splitlines()):
        files.write_private(path_of(store), b"".join(line + b"\n" for line in kept))


def note(store: str, one: "Preference", status: str) -> None:
    """Note that a preference is kept or dropped; OSError when that cannot be written."""
    row = {"said": one[0], "text": one[1], "status": status}
    files.append_line(path_of(store), fast_json.dumps(row).encode())
