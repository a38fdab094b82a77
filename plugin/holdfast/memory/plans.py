"""Plans that wait for a word of the user: proposed, approved, rejected, or to be changed."""

from holdfast import ids
from holdfast.edits.wishes import Want
from holdfast.errors import HoldfastError
from holdfast.memory.step import Step, on, rest
from holdfast.memory.view import PLANS, PROPOSED, View, rows

KIND = "PLAN"
COLUMNS = ["ID", "Title", "Status", "Proposed"]
_CHECKPOINT = "None (checkpoint is primary context)"


def check(view: View, title: str) -> None:
    """Refuse a plan while another one waits or a discussion goes on, and one without a title."""
    if view.plan:
        raise HoldfastError(f"{view.plan[0]} waits for approval already. Settle it first: holdfast plan approve")
    if view.depth:
        raise HoldfastError("In discussion mode (depth 1). Come back first: holdfast return")
    if not title:
        raise HoldfastError('The plan has no title. Give one, such as: holdfast plan propose "Split the parser"')


def propose(view: View, ident: str, title: str, minute: str) -> Step:
    """Put a plan before the user."""
    step = Step(f"{ident} waits for approval: {title}.", [f"Presented {ident} for approval: {title}"])
    step.wants.append(_row([ident, title, PROPOSED, minute]))
    return on(step, view, f"{ident} - {title}").rests(f"{ident} approval checkpoint", _CHECKPOINT)


def approve(view: View, ident: str) -> Step:
    """Approve the plan that waits, which becomes the task at hand; `ident` may name it."""
    ident, title = _waiting(view, ident)[:2]
    step = Step(f"Approved {ident}: {title}. The work on it may begin.", [f"Approved {ident}: {title}"])
    return on(_decided(step, view, "approved"), view, f"{ident} - {title}")


def reject(view: View, reason: str) -> Step:
    """Reject the plan that waits; the work goes back to the task that it was made in, if there was one."""
    ident, title = _waiting(view)[:2]
    why = f": {reason}" if reason else ""
    step = Step(f"Rejected {ident} ({title}){why}. It is to be revised.", [f"Rejected {ident}{why or f': {title}'}"])
    step.over = True
    left = next((said for said, open_ in reversed(view.tasks) if open_), "")
    _decided(step, view, "rejected")
    return on(step, view, left) if left else rest(step, view, f"{ident} is rejected")


def edit(view: View, changes: str) -> Step:
    """Ask for changes to the plan that waits; it goes on waiting."""
    ident = _waiting(view)[0]
    if not changes:
        raise HoldfastError('Say what is to change, such as: holdfast plan edit "Do the parser first"')
    return Step(f"Changes to {ident} are asked for: {changes}", [f"Asked for changes to {ident}: {changes}"])


def listed(view: View) -> list[list[str]]:
    """Return id, title, status and time of every plan, in the order of the file."""
    return [[*row, *[""] * 4][:4] for row in rows(view.record, PLANS)]


def _waiting(view: View, wanted: str = "") -> list[str]:
    """Return the plan that waits for approval; HoldfastError when none does, or not the one that is named."""
    if not view.plan:
        raise HoldfastError("No plan waits for approval. One is put there by: holdfast plan propose TITLE")
    if wanted and ids.named(KIND, wanted) != view.plan[0]:
        raise HoldfastError(f"{wanted} does not wait for approval, {view.plan[0]} does. Type: holdfast plan list")
    return view.plan


def _decided(step: Step, view: View, status: str) -> Step:
    """Add that the plan that waited is decided."""
    ident, title, _, *more = [*view.plan, "", ""]
    step.wants.append(_row([ident, title, status, more[0]]))
    return step


def _row(cells: list[str]) -> Want:
    return Want((PLANS,), rows={cells[0]: cells}, columns=COLUMNS)
