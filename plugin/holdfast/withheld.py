"""What is left of a file that nobody has accepted here: which it is and how it stands, and none of its words."""

from holdfast import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    Model = dict[str, object]

_TITLE, _STATUS = 80, 40  # characters that are told of a text from elsewhere
_NAMED = 64  # characters of an id
_WORDS = ("dialect", "standing", "shared", "created", "updated", "body")  # of the model, that quote nothing
_ENTRY = ("standing", "created", "updated")


def named_only(told: "Model") -> "Model":
    """Return what is told of a file whose text is from elsewhere: its title and status, and no more of its words."""
    entries = told.get("entries")
    return {
        **{word: told[word] for word in _WORDS if word in told},
        "foreign": True,
        "title": text.line(str(told.get("title", "")), _TITLE),
        "status": text.line(str(told.get("status", "")), _STATUS),
        "dialect": text.line(str(told.get("dialect", "")), _STATUS),
        "ids": [ident for ident in _listed(told.get("ids")) if _is_name(ident)],
        "entries": [_entry(one) for one in entries if _is_name(str(one.get("id")))]
        if isinstance(entries, list)
        else [],
    }


def _entry(one: "Model") -> "Model":
    """Return what is left of an entry of a register: which it is, and how it stands."""
    return {"id": one["id"], "title": "", "status": "", **{word: one[word] for word in _ENTRY if word in one}}


def _listed(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def _is_name(ident: str) -> bool:
    """Whether an id is one, and no sentence."""
    return len(ident) <= _NAMED and ident.replace("-", "").replace("_", "").replace(".", "").isalnum()
