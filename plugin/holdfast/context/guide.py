"""How the state is kept: what the end of a brief says to Claude."""

from holdfast.core.fast_json import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.sessions.session import Session

_SHORT = 2000  # characters; a shorter brief does not explain how the state is kept
_SYNC = """holdfast sync --json '{"Current State": "…", "Next Steps": ["…"]}'"""
_ANY_SYNC = """holdfast sync --json '{"SECTION": "…"}'"""  # for formats whose sections have other names
_GUIDE = (
    "## How the state is kept\n"
    "A state file's {sections} are edited {edited}; holdfast fills in {measured}. `holdfast loop add` keeps an open "
    "question, `holdfast task start` a task, `holdfast plan propose` a plan to approve; `holdfast search WORDS` "
    "searches all that was asked, answered and decided. "
)
_FREELY = "like any file, or with `{sync}`"
_BY_COMMAND = "with `{sync}` alone: the sandbox protects .agents, so this may need an approval"
_OWN = ("", "agents")  # formats of the files that holdfast creates by itself
_NO_STATE = (
    "This session has no state file yet: its first file edit or task makes one, and so does `holdfast start TITLE`."
)
_NOT_INITIALISED = "This project keeps journals only. `holdfast init` makes it keep state files too."


def kind_of(formats: "Iterable[str]") -> str:
    """Return the format that a new state file takes over from those here, "" for none."""
    known = {*formats}
    return "" if known & {*_OWN} else next((one for one in ("gsd-lite", "n5") if one in known), "")


def closing(own: "Session | None", limit: int, kind: str, *, initialised: bool) -> str:
    """Return how the state is kept; short in a short brief, where the state itself matters more.

    `kind` is the format of the state files here, "" for those that holdfast creates.
    """
    if not initialised:
        return _NOT_INITIALISED
    kind = text_of(own.summary, "format") if own and own.state else kind
    text = _guide(own, kind) if limit >= _SHORT else f"State files are kept with `{command(kind)}`. "
    return text + ("" if own and (own.state or own.away) else _NO_STATE)


def command(kind: str) -> str:
    """Return the command that keeps a state file of this format."""
    return _SYNC if kind in _OWN else _ANY_SYNC


def _is_protected(own: "Session") -> bool:
    """Return whether the client's sandbox protects the state files."""
    if not own.client:
        return False
    from holdfast.clients import catalogue

    return catalogue.of(own.client).PROTECTS_STATE


def _guide(own: "Session | None", kind: str) -> str:
    """Return how a state file is kept; the section names are those of the files that holdfast creates."""
    how = (_BY_COMMAND if own and _is_protected(own) else _FREELY).format(sync=command(kind))
    if kind not in _OWN:
        return _GUIDE.format(sections="sections", edited=how, measured="what is measured")
    measured, sections = "last_updated, Execution Progress and Files Modified", "Current State and Next Steps"
    return _GUIDE.format(sections=sections, edited=how, measured=measured)
