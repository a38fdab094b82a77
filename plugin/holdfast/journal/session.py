"""The state of one session according to its journal. `sessions/session.py` adds its state file and its status."""

from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from holdfast.journal.log import Fact

TASK_OVER = frozenset({"completed", "deleted"})  # the statuses of a task that nobody works on any more
_MACHINE_MADE = ("<task-notification", "<command-", "<local-command-", "<system-reminder", "<bash-")


class Child:
    """A subagent. Its status is running, completed, or orphaned: its session's process ended first."""

    __slots__ = ("answer", "files", "id", "last_active", "started", "status", "transcript", "type")

    def __init__(self, ident: str, started: float) -> None:
        self.id = ident
        self.started = self.last_active = started
        self.type = self.answer = self.transcript = ""
        self.status = "running"
        self.files: dict[str, float] = {}  # path -> last changed

    def copy(self) -> "Child":
        """Return a copy that shares nothing with this one."""
        made = Child(self.id, self.started)
        for name in self.__slots__:
            setattr(made, name, getattr(self, name))
        made.files = {**self.files}
        return made


class Recorded:
    """What one session's journal says. Only `journal.folding` changes one, before anybody else has it.

    Times are seconds since 1970 (UTC), 0.0 for never; texts are "" for unknown.

    Who it is and where it runs:

    - id: the client's session id. client: the client's name, "" for Claude Code.
    - transcript: path of the client's transcript. folder: where the client was started.
    - root: the working tree of the project. worktree: the one in which Claude works now. branch: its branch.
      branches: since when it worked on which branch, oldest first.
    - pid, process, host: the client's process id, its `process.identity`, and the name of the machine.
    - parent: id of the session that started this one. origin: id of the session whose conversation it continues.
      forked: whether it began as a fork.
    - patterns: patterns of the paths of state files in its project.

    When:

    - started: its first start. began: its latest start. ran: the latest that no compaction made.
    - last_active: its latest fact from the session itself.
      prompted: its latest prompt. asked: the times of all prompts. ended: when it ended; a new start clears it.
    - reason: why it ended, in the client's word.

    What happened:

    - prompt: the first prompt. asked_last: the latest one. answer: the latest answer.
    - request: the prompt that led to its first edit or task, or the latest before that; greetings and the like do not
      count. answered: when that answer came. asking: whether it ended with a question.
    - named, named_by: the title that holdfast gave its state file last, and where that is from.
    - files: path -> when it was last changed; relative to `root`, or absolute outside the project.
    - tasks: id -> (subject, status, last changed). loops: id -> (title, status, last changed), in its own shell.
    - commits: hash -> when it was made, while the session was at work.
    - plan: the first line and the file of the plan that the user accepted last, and when; ("", "", 0.0) for none.
    - proposed: the id and the first line of the plan that was shown last and not answered yet, as far as is known.
    - task_set: when a command last set the current task; earlier facts about the client's task list no longer count.
    - children: agent id -> `Child`. zones: since when its token budget was in which zone.
    - compactions: how many took place, after each of which the client started the session again.

    Its state file:

    - claimed: absolute path of the state file, "" for none. claimed_name: the same relative to `state_root`, the
      working tree that contains it.
    - held: every state file that it ever had. given_up: those that holdfast made for it and that another one replaced.
    - listed_children: ids of the subagents that its frontmatter lists. logged: the entries that holdfast wrote into its
      log, each with its checksum.
    - made: whether holdfast made the file. unclaimed: a state file that it edited and that did not become its own.
    - state_edited: when the model last wrote it. saved: when a person last saved it, as a settle noticed.
    - completed: since when the file says that the work is completed. blocks: the sections that it was given; one that
      somebody deletes stays away.

    What holdfast added:

    - count: how many facts there are. last: how many up to the latest one from the session itself. settled: how many
      the last settle had read. journaled: whether any exist.
    - pending: how many up to the latest one after which a settle is due even without a state file. unsettled: whether
      there are facts for the next settle; those that only talk are none without work or a state file.
    - changed: how many up to the latest edit, task or the like, without which a settle changes no state file.
    - news: facts about tasks that no settle has read yet, each with its number.
    - due: since when it needs a state file. measured, drift: the latest facts of these kinds.
    - note: what could not be done, and why. decided: the decisions of its state file that settles have found.
    - guarded: a compaction of it was stopped, and none has taken place since.
    - chosen: waiting, paused, completed or dropped, if a person or a command set it at `chosen_at` and the work has
      not gone on since; else "". revived: it was paused, and the work has gone on.
    - wrote: agent id, "" for its own -> the latest `hub` fact, which says what was written to its entry in the hub.
    """

    def __init__(self, ident: str, root: str = "", patterns: "Iterable[str]" = paths.PATTERNS) -> None:
        self.id = ident
        self.client = ""
        self.patterns = patterns
        self.started = self.began = self.ran = self.last_active = self.prompted = self.ended = 0.0
        self.reason = self.host = self.branch = self.process = self.folder = self.transcript = ""
        self.root = self.worktree = root
        self.pid = 0
        self.parent = self.origin = ""
        self.forked = False
        self.branches: list[tuple[float, str]] = []
        self.prompt = self.asked_last = self.answer = ""
        self.answered, self.asking = 0.0, False
        self.listed_children: set[str] = set()
        self.logged: dict[str, str] = {}
        self.request = self.named = self.named_by = ""
        self.asked: list[float] = []
        self.files: dict[str, float] = {}
        self.tasks: dict[str, tuple[str, str, float]] = {}
        self.loops: dict[str, tuple[str, str, float]] = {}
        self.proposed = ("", "")
        self.commits: dict[str, float] = {}
        self.task_set = 0.0
        self.plan = ("", "", 0.0)
        self.children: dict[str, Child] = {}
        self.zones: list[tuple[float, int]] = []
        self.compactions = 0
        self.claimed = self.claimed_name = self.state_root = self.unclaimed = ""
        self.held: set[str] = set()
        self.given_up: set[str] = set()
        self.blocks: set[str] = set()
        self.decided: set[str] = set()
        self.made = False
        self.state_edited = self.saved = self.completed = 0.0
        self.count = self.last = self.settled = self.changed = self.pending = 0
        self.unsettled = self.journaled = self.guarded = self.revived = False
        self.news: list[tuple[int, Fact]] = []
        self.due = 0.0
        self.measured: Mapping[str, object] | None = None
        self.drift: Fact | None = None
        self.note = self.chosen = ""
        self.chosen_at = 0.0
        self.wrote: dict[str, Fact] = {}

    def copy(self) -> "Recorded":
        """Return a copy that shares nothing with this one that a fold changes."""
        made = Recorded(self.id)
        for name, value in vars(self).items():
            setattr(made, name, value.copy() if isinstance(value, (dict, list, set)) else value)
        made.children = {ident: child.copy() for ident, child in self.children.items()}
        return made

    def inside(self, since: float = 0.0) -> list[str]:
        """Return the files of the project that were changed after `since`, latest first."""
        return inside_project(self.files, since)

    def unfinished(self) -> list[str]:
        """Return the subjects of the tasks that are not completed."""
        return [subject for subject, status, _ in self.tasks.values() if status not in TASK_OVER]

    @property
    def begun(self) -> bool:
        """Whether it has begun to work: it changed files of the project, or has tasks or an accepted plan."""
        return bool(self.tasks or self.plan[2]) or any(
            at > 0 and not path.startswith("/") for path, at in self.files.items()
        )

    def followed_plan(self) -> str:
        """Return the plan that the session follows, on one line; "" without one, or once its tasks are completed."""
        title, path, accepted = self.plan
        tasks = any(at > accepted for *_, at in self.tasks.values())
        if not accepted or (tasks and not self.unfinished()):
            return ""
        return f'"{title}" ({path})' if title and path else title or path

    def progress(self) -> tuple[int, int]:
        """Return how many tasks are completed, and how many there are without the deleted ones."""
        known = [status for _, status, _ in self.tasks.values() if status != "deleted"]
        return known.count("completed"), len(known)

    def running(self) -> list[str]:
        """Return the types of the children that were not reported to have stopped."""
        return [child.type for child in self.children.values() if child.status != "completed"]


def typed_by_user(prompt: str) -> bool:
    """Whether a user typed this prompt: it is no slash command and no message of the client."""
    first = prompt.partition(" ")[0]
    command = first.startswith("/") and "/" not in first[1:]
    return bool(prompt) and not command and not prompt.startswith(_MACHINE_MADE)


def orphaned(children: dict[str, Child]) -> dict[str, Child]:
    """Return the children of a session whose process ended: those that ran are orphaned."""
    made = {ident: child.copy() for ident, child in children.items() if child.status == "running"}
    for child in made.values():
        child.status = "orphaned"
    return {**children, **made}


def inside_project(files: dict[str, float], since: float = 0.0) -> list[str]:
    """Return the files in the project that were changed after `since`, latest first."""
    changed = [(at, path) for path, at in files.items() if at > since and not path.startswith("/")]
    return [path for _, path in sorted(changed, reverse=True)]
