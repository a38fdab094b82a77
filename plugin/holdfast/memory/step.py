"""One step of the work, as it is to stand in a state file: what each field says from now on, and what is told of it."""

from holdfast import text
from holdfast.edits.wishes import Want
from holdfast.memory.view import CONTEXT, STACK, TASKS, View, called, split, stacked

WORKING, TALKING, AWAITING = "Working", "Discussion Mode", "Blocked (Awaiting Approval)"
OURS = frozenset({WORKING, TALKING, AWAITING})  # the statuses that holdfast words itself
_LONGEST = 20_000  # characters: nothing that a person types is cut
NOT_FORKED = "None (not forked)"


class Step:
    """The wishes that make a step true, the entries for Recent Updates, and the sentence for whoever took it.

    `ticked` says of items of the list of tasks what their box gets; `sections` are those needed beside the wishes.
    """

    __slots__ = ("over", "sections", "ticked", "told", "updates", "wants")

    def __init__(self, told: str, updates: list[str]) -> None:
        self.told = told
        self.updates = updates
        self.wants: list[Want] = []
        self.ticked: dict[str, str] = {}
        self.sections: frozenset[str] = frozenset()
        self.over = False  # whether the task that was at hand is over with it

    def taken(self, _view: View) -> "Step":
        """Return the step itself, which does not depend on what the file says."""
        return self

    def says(self, title: str, **fields: str) -> "Step":
        """Add what fields of a section say from now on; an underscore stands for a blank."""
        self.wants += [Want((title, name.replace("_", " ")), text=said) for name, said in fields.items()]
        return self

    def rests(self, current: str, back: str = NOT_FORKED) -> "Step":
        """Add that the work is where nobody has forked."""
        return self.says(STACK, Current=current, Return_to=back, Depth="0")


def on(step: Step, view: View, task: str) -> Step:
    """Add that the work is on a task from now on; in a discussion the task is what it comes back to.

    A task that was at hand until now, and is not over with this step, waits from now on.
    """
    left = split(view.task)[0]
    if left and left != split(task)[0] and not step.over and all(called(said) != left for said, _ in view.tasks):
        step.wants.append(Want((TASKS,), items=[view.task]))
    step.says(CONTEXT, Task=task)
    return step.says(STACK, Return_to=stacked(task)) if view.depth else step.rests(stacked(task))


def rest(step: Step, view: View, why: str) -> Step:
    """Add that no task is at hand from now on."""
    step.says(CONTEXT, Task=f"None ({why})")
    between = f"Between tasks ({why})"
    return step.says(STACK, Return_to=between) if view.depth else step.rests(between)


def status_of(view: View) -> str:
    """Return the status that follows from what goes on: a discussion, a plan that waits, else the work."""
    return TALKING if view.depth else AWAITING if view.plan else WORKING


def fit(said: str) -> str:
    """Return a user's text as one line that is nobody's label."""
    return text.line(said, _LONGEST).replace("**", r"\*\*").replace("__", r"\_\_")


def bare(said: str) -> str:
    """Return a text from a state file as its author typed it."""
    return said.replace(r"\*\*", "**").replace(r"\_\_", "__")
