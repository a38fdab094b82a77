"""The state of one session according to its journal. `sessions/session.py` adds its state file and its status."""

from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self

    from holdfast.journal.log import Fact

TASK_OVER = frozenset({"completed", "deleted"})  # the statuses of a task that nobody works on any more
# Slash commands after which Claude is asked to say what was done or shown, and not to go on with the work.
_REPORTING = frozenset(
    """
    add-loop audit budget checklist close close-loop conflicts continue doctor finish handoff init list pause recover
    resume return start status tree
    """.split()  # noqa: SIM905 - names of commands
)
_MACHINE_MADE = ("<task-notification", "<command-", "<local-command-", "<system-reminder", "<bash-")


class Group:
    """Some attributes that belong together."""

    def copy(self) -> "Self":
        """Return a copy that shares nothing with this one that a fold changes."""
        made = object.__new__(type(self))
        for name, value in vars(self).items():
            vars(made)[name] = value.copy() if isinstance(value, (dict, list, set, Group)) else value
        return made


class Child(Group):
    """A subagent. Its status is running, completed, or orphaned: its session's process ended first."""

    def __init__(self, ident: str = "", started: float = 0.0) -> None:
        self.id = ident
        self.started = self.last_active = started
        self.type = self.answer = self.transcript = ""
        self.earlier, self.runs = "", 1  # what it answered before it was started again, and how often it was started
        self.status = "running"
        self.files: dict[str, float] = {}  # path -> last changed

    @property
    def key(self) -> str:
        """The key of the log entry about its end; each time that it is started has one."""
        return f"child-{self.id}" + (f"-{self.runs}" if self.earlier else "")

    def result(self, longest: int) -> str:
        """Return its answers in about so many characters, the latest first."""
        if not self.earlier:
            return self.answer
        half = longest // 2 - 10
        return f"{self.answer[:half]} (before: {self.earlier[:half]})".lstrip()


class Process(Group):
    """The client's process, and where it worked.

    - pid, identity, host: its process id, its `core.process.identity`, and the name of the machine.
    - folder: where it was started. forked: whether the session began as a fork.
    - began: the latest start. ran: the latest that no compaction made. reason: why it ended, in the client's word.
    - unended: pid, identity and last fact of the process before this one, if that did not end.
    - crashes: when processes of it did something last that were gone without an end.
    - branches: since when it worked on which branch, oldest first.
    - zones: since when its token budget was in which zone. compactions: how many took place, after each of which the
      client started the session again.
    """

    def __init__(self) -> None:
        self.pid = self.compactions = 0
        self.identity = self.host = self.folder = self.reason = ""
        self.began = self.ran = 0.0
        self.forked = False
        self.zones: list[tuple[float, int]] = []
        self.branches: list[tuple[float, str]] = []
        self.unended = (0, "", 0.0)
        self.crashes: list[float] = []


class Talk(Group):
    """What was said.

    - prompt: the first prompt. latest, prompted: the latest one, and when. times: those of all prompts.
    - request: the prompt that led to its first edit or task, or the latest before that; greetings and the like do not
      count.
    - answer, answered: the latest answer, and when. asking: whether it ends with a question. ahead: whether it names
      what is next.
    - idle: whether nothing was done since the latest prompt. reports: whether that was also a slash command after which
      Claude only says what holdfast did or shows.
    - proposed: the id and the first line of the plan that was shown last and not answered yet, as far as is known.
    """

    def __init__(self) -> None:
        self.prompt = self.latest = self.request = self.answer = ""
        self.prompted = self.answered = 0.0
        self.times: list[float] = []
        self.asking = self.ahead = self.reports = self.idle = False
        self.proposed = ("", "")

    def typed(self, prompt: str) -> None:
        """Begin a turn with a prompt of any kind."""
        self.reports, self.idle = only_reports(prompt), True
        self.latest = prompt if typed_by_user(prompt) else self.latest

    def works(self) -> None:
        """Note that work was done in the turn."""
        self.reports = self.idle = False

    def takes(self, answer: str) -> bool:
        """Take the answer of a turn, unless it says nothing of the work: only what holdfast did, or small talk."""
        from holdfast.journal import replies, telling  # few starts of a process read a journal with a new answer

        small = self.idle and self.answer and not self.asking and telling.is_small_talk(self.latest, answer)
        if not answer or self.reports or small:
            return False
        self.answer, self.asking = answer, bool(replies.question(answer))
        return True


class File(Group):
    """What was done with the state file.

    - made: whether holdfast made it. title, title_from: the title that it gave the file last, and where that is from.
      given: the one that a person gave the work since.
    - edited: when the model last wrote it. saved: when a person last saved it, as a settle noticed.
    - task_set: when a command last set its current task; earlier facts about the client's task list do not count.
    - completed: since when it says that the work is completed. decided: its decisions that settles have found.
    - children: ids of the subagents that it lists. logged: the entries that holdfast wrote into its log, each with its
      checksum. blocks: the sections that it was given; one that somebody deletes stays away.
    - held: every state file that the session ever had. given_up: those that holdfast made for it and that another one
      replaced. unclaimed: one that it edited and that did not become its own.
    """

    def __init__(self) -> None:
        self.made = False
        self.title = self.title_from = self.given = self.unclaimed = ""
        self.edited = self.saved = self.completed = self.task_set = 0.0
        self.logged: dict[str, str] = {}
        self.held: set[str] = set()
        self.given_up: set[str] = set()
        self.children: set[str] = set()
        self.blocks: set[str] = set()
        self.decided: set[str] = set()


class Settling(Group):
    """What settles have read and written, and what is left for the next one.

    - count: how many facts there are. last: how many up to the latest one from the session itself. settled: how many
      the last settle had read.
    - pending: how many up to the latest one after which a settle is due even without a state file. unsettled: whether
      there are facts for the next settle; those that only talk are none without work or a state file.
    - changed: how many up to the latest edit, task or the like, without which a settle changes no state file.
    - revived: the work was paused, completed or dropped by a command, and has gone on.
    - news: facts about tasks that no settle has read yet, each with its number.
    - due: since when the session needs a state file. note: what could not be done, and why. drift: the latest fact.
    - wrote: agent id, "" for its own -> the latest `hub` fact, which says what was written to its entry in the hub.
    """

    def __init__(self) -> None:
        self.count = self.last = self.settled = self.changed = self.pending = 0
        self.unsettled = self.revived = False
        self.due = 0.0
        self.note = ""
        self.drift: Fact | None = None
        self.news: list[tuple[int, Fact]] = []
        self.wrote: dict[str, Fact] = {}


class Recorded(Group):
    """What one session's journal says. Only `journal.folding` changes one, before anybody else has it.

    Times are seconds since 1970 (UTC), 0.0 for never; texts are "" for unknown.

    - id: the client's session id. client: the client's name, "" for Claude Code.
    - parent: id of the session that started this one. origin: id of the session whose conversation it continues.
    - transcript: path of the client's transcript. patterns: patterns of the paths of state files in its project.
    - root: the working tree of the project. worktree: the one in which Claude works now. branch: its branch.
    - started: its first start. last_active: its latest fact from the session itself. ended: when it ended; a new start
      clears it. journaled: whether there are facts, beside updates that any session's agent may make.
    - process, talk, file, settling: see `Process`, `Talk`, `File` and `Settling`.

    - files: path -> when it was last changed; relative to `root`, or absolute outside the project.
    - tasks: id -> (subject, status, last changed). loops: id -> (title, status, last changed), in its own shell.
    - plan: the first line and the file of the plan that the user accepted last, and when; ("", "", 0.0) for none.
    - commits: hash -> when it was made, while the session was at work. children: agent id -> `Child`.
    - chosen: waiting, paused, completed or dropped, if a person or a command set it at `chosen_at` and the work has
      not gone on since; else "". chosen_on: the branch whose state file says so, `log.NOWHERE` for none yet.
    - measured: what the completion checklist needs, the latest fact.
    - claimed: absolute path of the state file, "" for none. claimed_name: the same relative to `state_root`, the
      working tree that contains it.
    """

    def __init__(self, ident: str, root: str = "", patterns: "Iterable[str]" = paths.PATTERNS) -> None:
        self.id = ident
        self.patterns = patterns
        self.root = self.worktree = root
        self.client = self.parent = self.origin = self.transcript = self.branch = self.chosen = self.chosen_on = ""
        self.claimed = self.claimed_name = self.state_root = ""
        self.started = self.last_active = self.ended = self.chosen_at = 0.0
        self.journaled = False
        self.files: dict[str, float] = {}
        self.tasks: dict[str, tuple[str, str, float]] = {}
        self.loops: dict[str, tuple[str, str, float]] = {}
        self.plan = ("", "", 0.0)
        self.commits: dict[str, float] = {}
        self.children: dict[str, Child] = {}
        self.measured: Mapping[str, object] | None = None
        self.process, self.talk, self.file, self.settling = Process(), Talk(), File(), Settling()

    def copy(self) -> "Self":
        """Return a copy that shares nothing with this one that a fold changes."""
        made = super().copy()
        made.children = {ident: child.copy() for ident, child in self.children.items()}
        return made

    def inside(self, since: float = 0.0) -> list[str]:
        """Return the files of the project that were changed after `since`, latest first."""
        return inside_project(self.files, since)

    def unfinished(self) -> list[str]:
        """Return the subjects of the tasks that are not completed."""
        return [subject for subject, status, _ in self.tasks.values() if status not in TASK_OVER]

    def changed_in_turn(self, at: float) -> list[str]:
        """Return the files of the project that were changed between the latest prompt before a time and that time."""
        turn = max([time for time in self.talk.times if time <= at], default=self.started)
        return [path for path, time in self.files.items() if turn <= time <= at and not path.startswith("/")]

    @property
    def crash(self) -> float:
        """When it did something last before it crashed, as a settle noticed; 0.0 if it was started again since."""
        last = self.process.crashes[-1:] or [0.0]
        return last[0] if last[0] >= self.process.began else 0.0

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


def only_reports(prompt: str) -> bool:
    """Whether a prompt is a slash command of holdfast after which Claude only says what holdfast did or shows.

    What it says then, such as "The state is saved.", is not where the work stands, unless it does work.
    """
    plugin, _, name = prompt.partition(" ")[0].partition("holdfast:")
    return plugin.startswith("/") and name in _REPORTING


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
