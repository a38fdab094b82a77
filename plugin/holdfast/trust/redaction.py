"""What may be shown of untrusted files: how many there are, and the short names of three; none of their text."""

from holdfast.core.fast_json import rows_of, texts_of
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.core.summary import Summary

_NAME_LIMIT, _FORMAT_LIMIT, _ID_LIMIT = 40, 40, 64  # characters
NAMES = 3  # of untrusted files that are shown
_KEPT = ("format", "category", "shared", "created", "updated", "body")  # keys whose values quote nothing
_KEPT_OF_ENTRY = ("category", "created", "updated")


def redacted(summary: "Summary") -> "Summary":
    """Return the summary of an untrusted file with category, dates and ids only, and `untrusted` set."""
    return {
        **{key: value for key, value in summary.items() if key in _KEPT},  # type: ignore[typeddict-item] # its own
        "untrusted": True,
        "title": "",
        "status": "",
        "format": safe.line(str(summary.get("format", "")), _FORMAT_LIMIT),
        "ids": [ident for ident in texts_of(summary, "ids") if _is_id(ident)],
        "entries": [_redacted_entry(entry) for entry in rows_of(summary, "entries") if _is_id(str(entry.get("id")))],
    }


def short_names(paths: "Iterable[str]") -> str:
    """Return the file names of at most three paths, short, in quotes, and with `_` for what is no letter or digit."""
    return safe.listed([f'"{_short_name(path)}"' for path in paths], NAMES)


def _short_name(path: str) -> str:
    name = "".join(char if char.isalnum() or char in "-._" else "_" for char in path.rpartition("/")[2])
    return safe.clip(safe.line(name, 1000), _NAME_LIMIT)


def _redacted_entry(entry: "Summary") -> "Summary":
    """Return an entry of a hub with its id, category and dates only."""
    kept = {key: value for key, value in entry.items() if key in _KEPT_OF_ENTRY}
    return {"id": entry["id"], "title": "", "status": "", **kept}  # type: ignore[typeddict-item] # the entry's own


def _is_id(ident: str) -> bool:
    """Whether a text can be an id, and is no sentence."""
    return len(ident) <= _ID_LIMIT and ident.replace("-", "").replace("_", "").replace(".", "").isalnum()
