"""What holdfast needs to know of a coding client. Each client has a module that provides all of it."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Protocol

    from holdfast.clients.answer import Answer

    class Client(Protocol):
        """A coding client.

        Who it is:

        - NAME: its name in journals and options. TITLE: its name for people. SHORT: the same in headings and lists.
        - RESUME: the command that resumes the session `{id}`.
        - SESSION: the variable with the session's id in the client's shell, "" for none. PROJECT_FOLDER: the one with
          the folder in which the session was started. SHELL_SCRIPT: the one with the script that the client's shell
          runs first. PLUGIN_DATA: the one with the plugin's data folder. MARKS: variables that show that a command
          runs in the client's shell or hooks, so that the model reads what it prints.
        - SHARED_PROCESS: a word in the command line of a process that serves many sessions and outlives them, "" if
          the client has none. It says nothing about whether a session is live.

        What it sends:

        - EVENTS: its name of each event that has a hook -> what the event means to holdfast.
        - TOOLS: each tool that matters -> what its use means: a file is edited, a worktree is entered, a task changes.
        - PATH_KEYS: the keys of `tool_input` that name the edited file. WORKTREE_KEYS: those of `tool_response` that
          name the path and the branch of the worktree that was entered.

        What it accepts:

        - HOOKS: the file with its hooks in this repository. TRUST: what a user has to do so that they run.
        - SHOWS: whether a hook can show the user a line; SHOWS_START: at a start, too.
          SILENT_FORKS: whether a session may begin with a prompt,
          without a start, which is a fork then.
        - RESTARTS: whether a compaction is followed by a start that is always sent; if not, what belongs to it is
          said with the next prompt.
        - STEERS: whether a hook can tell the summariser of a compaction what to keep. PRINTS_STEERING: whether the
          client shows that to a user who asked for the compaction.
        - ASKS: whether a hook can let the user decide about a tool call. TELLS_BEFORE: whether what one says before a
          tool call reaches the model; if not, it is said with the result. STOPS_COMPACTION: whether one can stop a
          compaction. SUMMARISES: whether a hook gets the summary of a compaction. TURNS: whether
          the hook of a turn's end may ask for one more turn.
        - PROTECTS_STATE: whether its sandbox lets the model read `.agents`, and not write there.
        - COMMAND: what stands before a command's name when its user types one.
        """

        NAME: str
        TITLE: str
        SHORT: str
        RESUME: str
        SESSION: str
        PROJECT_FOLDER: str
        SHELL_SCRIPT: str
        PLUGIN_DATA: str
        MARKS: tuple[str, ...]
        SHARED_PROCESS: str
        EVENTS: dict[str, str]
        TOOLS: dict[str, str]
        PATH_KEYS: tuple[str, ...]
        WORKTREE_KEYS: tuple[str, ...]
        HOOKS: str
        TRUST: str
        STEERS: bool
        PRINTS_STEERING: bool
        PROTECTS_STATE: bool
        ASKS: bool
        TELLS_BEFORE: bool
        SHOWS: bool
        SHOWS_START: bool
        SILENT_FORKS: bool
        RESTARTS: bool
        STOPS_COMPACTION: bool
        SUMMARISES: bool
        TURNS: bool
        COMMAND: str

        def is_attended(self, environ: Mapping[str, str]) -> bool:
            """Return whether a person sits at the terminal, and no program runs the client."""
            ...

        def parts(self, event: str, body: dict[str, object]) -> Sequence[dict[str, object]]:
            """Return what an event consists of for holdfast: itself, one part for each edited file, or nothing."""
            ...

        def encode(self, event: str, answer: Answer) -> str:
            """Return the answer to an event as the client reads it, "" if it has nothing that this client accepts."""
            ...

        def origin(self, words: Sequence[str]) -> str:
            """Return the session that a command line of the client forks, "" for none."""
            ...
