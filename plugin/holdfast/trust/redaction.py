"""What may be shown of an untrusted file: which file it is and its status, and no other words of it."""

from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    Summary = dict[str, object]

_TITLE_LIMIT, _STATUS_LIMIT, _ID_LIMIT = 80, 40, 64  # characters
_KEPT = ("format", "category", "shared", "created", "updated", "body")  # keys whose values quote nothing
_KEPT_OF_ENTRY = ("category", "created", "updated")


def redacted(summary: "Summary") -> "Summary":
    """Return the summary of an untrusted file with title, status, dates and ids only, and `untrusted` set."""
    entries = summary.get("entries")
    return {
        **{key: summary[key] for key in _KEPT if key in summary},
        "untrusted": True,
        "title": safe.line(str(summary.get("title", "")), _TITLE_LIMIT),
        "status": safe.line(str(summary.get("status", "")), _STATUS_LIMIT),
        "format": safe.line(str(summary.get("format", "")), _STATUS_LIMIT),
        "ids": [ident for ident in _texts(summary.get("ids")) if _is_id(ident)],
        "entries": [_redacted_entry(entry) for entry in entries if _is_id(str(entry.get("id")))]
        if isinstance(entries, list)
        else [],
    }


def _redacted_entry(entry: "Summary") -> "Summary":
    """Return an entry of a hub with its id, category and dates only."""
    return {"id": entry["id"], "title": "", "status": "", **{key: entry[key] for key in _KEPT_OF_ENTRY if key in entry}}


def _texts(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []


def _is_id(ident: str) -> bool:
    """Whether a text can be an id, and is no sentence."""
    return len(ident) <= _ID_LIMIT and ident.replace("-", "").replace("_", "").replace(".", "").isalnum()
