"""Whether a text that was read, such as that of a snapshot or of LOOPS.md, may be shown."""

from holdfast.core.cache import Cache
from holdfast.core.errors import HoldfastError
from holdfast.trust import ledger, redaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from holdfast.project.paths import Project


def require_trusted(project: "Project", path: str, data: bytes) -> None:
    """Raise HoldfastError when the output reaches Claude, and a text that was at `path` is untrusted."""
    if ledger.output_reaches_claude() and not ledger.is_written(project, path, data):
        refuse(f"this text of {redaction.short_names([path])}")


def refuse(what: str) -> "NoReturn":
    """Raise HoldfastError for a text that must not be shown here."""
    raise HoldfastError(
        f"{what} may come from elsewhere and is not accepted here. The user types the same in a terminal of their own."
    )


def is_redacted(project: "Project", path: str) -> bool:
    """Whether the text of a file must not be shown here: the output reaches Claude, and the file is untrusted."""
    return ledger.output_reaches_claude() and bool(ledger.TrustCheck(Cache(project.store)).untrusted([path]))
