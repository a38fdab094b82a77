"""The command `demo`: a recorded session, played through the hooks in a scratch project, one screen for each step."""

import os
import shutil
import subprocess
import sys
import tempfile
import termios
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click

from holdfast.cli import screen
from holdfast.cli.app import cli, say
from holdfast.cli.output import is_json, report, reports
from holdfast.core import fast_json
from holdfast.core.errors import HoldfastError
from holdfast.project import paths

COMMAND = paths.PLUGIN_ROOT + "/bin/holdfast"
_RECORDING = Path(__file__).with_name("demo.toml")
_IDS = {
    "first": "5f1c2a9e-7b1d-4c7e-9a54-0d6f1b2c3d4e",
    "second": "a3d07c11-2e5b-4f86-8c3a-6b9e4d5f7a10",
    "third": "c86e9b04-91fa-4d3c-b7a2-3f5d1e8c6b72",
}
_DIRECTIONS = frozenset(("event", "session", "path", "write", "show", "since"))  # keys that are not the client's
_EDITS = frozenset(("Edit", "Write"))
_OURS = ("CLAUDE", "HOLDFAST", "GIT_", "XDG_")  # variables that would lead out of the scratch folder
_LONGEST = 60.0  # seconds for one hook or command


class Part(NamedTuple):
    """A quoted text of a screen and who reads it."""

    reader: str
    text: str


class Screen(NamedTuple):
    """One step of the demo."""

    title: str
    text: str
    parts: list[Part]


class Scratch:
    """A project, a home and a data folder of their own, which `close` removes."""

    def __init__(self) -> None:
        """Make the folders; HoldfastError without git."""
        self._folder = Path(tempfile.mkdtemp(prefix="holdfast-demo-"))
        self.root = self._folder / "invoices"
        self._data = self._folder / "data"
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
        self.environment |= {
            "HOME": str(self._folder),
            "HOLDFAST_DATA": str(self._data),
            "GIT_CONFIG_NOSYSTEM": "1",
            "CLAUDE_PROJECT_DIR": str(self.root),
            "CLAUDE_PLUGIN_ROOT": paths.PLUGIN_ROOT,
        }

    def close(self) -> None:
        """Remove all that was made."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def prepare(self, files: dict[str, str]) -> None:
        """Make a repository with one commit of these files, and prepare it as `holdfast init` does."""
        self._data.mkdir()
        for site in Path(paths.data_dir(os.environ)).glob("site-*"):
            (self._data / site.name).symlink_to(site)
        self.root.mkdir()
        for name, text in files.items():
            (self.root / name).write_text(text, encoding="utf-8")
        who = ("-c", "user.name=demo", "-c", "user.email=demo@example.com")
        for words in (("init", "-q"), ("add", "."), (*who, "commit", "-q", "-m", "Totals and export")):
            self.run(["git", *words])
        self.holdfast("init", "--yes", "--shared")

    def holdfast(self, *words: str) -> str:
        """Run the command and return what it prints on a screen that leaves room for two columns of indentation."""
        return self.run([COMMAND, *words], HOLDFAST_SCREEN="78x24")

    def fire(self, event: dict[str, Any]) -> dict[str, str]:
        """Send one event to its hook; return what each reader gets: {"user": ..., "claude": ..., "summariser": ...}."""
        name = str(event["event"])
        payload = _payload(event, self.root)
        if "write" in event:
            (self.root / event["path"]).write_text(event["write"], encoding="utf-8")
        answer = self.run(_hook(name), fast_json.dumps(payload), CLAUDE_CODE_SESSION_ID=payload["session_id"])
        if name in ("Stop", "SessionEnd"):
            self.holdfast("settle")  # the hook leaves this to the background, and a screen shows what was written
        return {"summariser": answer} if name == "PreCompact" else _read(answer)

    def open_board(self) -> None:
        """Run the board in the terminal until the user leaves it."""
        subprocess.run([COMMAND, "board"], cwd=self.root, env=self.environment, check=False)

    def run(self, command: list[str], given: str = "", **variables: str) -> str:
        """Run a program in the project and return its output; HoldfastError when it fails."""
        try:
            done = subprocess.run(
                command,
                cwd=self.root,
                env={**self.environment, **variables},
                input=given,
                capture_output=True,
                text=True,
                timeout=_LONGEST,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise HoldfastError(f"the demo stopped at {command[0]}: {error}. Type: holdfast doctor") from error
        if done.returncode:
            raise HoldfastError(f"the demo stopped at {command[0]}: {done.stderr.strip()[:300]}. Type: holdfast doctor")
        return done.stdout


def play(scratch: Scratch) -> "Iterator[Screen]":
    """Play the recording in a scratch project, one screen after the other."""
    recording = tomllib.loads(_RECORDING.read_text(encoding="utf-8"))
    scratch.prepare(recording["files"])
    for recorded in recording["screen"]:
        parts: list[Part] = []
        for event in recorded.get("event", ()):
            answers = scratch.fire(event)
            parts += [Part(reader, _from(answers[reader], event)) for reader in event.get("show", "").split()]
        for state in recorded.get("state", ()):
            text = scratch.holdfast("show", _IDS[state["session"]][:8])
            parts.append(Part("file", _sections(text, state["sections"])))
        for command in recorded.get("command", ()):
            parts.append(Part("holdfast " + " ".join(command["words"]), scratch.holdfast(*command["words"])))
        yield Screen(recorded["title"], recorded["text"], parts)


def _hook(name: str) -> list[str]:
    """Return the command line that the client runs for an event."""
    registered: Any = fast_json.loads(Path(paths.PLUGIN_ROOT, "hooks/hooks.json").read_bytes())
    hook = registered["hooks"][name][0]["hooks"][0]
    return [word.replace("${CLAUDE_PLUGIN_ROOT}", paths.PLUGIN_ROOT) for word in (hook["command"], *hook["args"])]


def _payload(event: dict[str, Any], root: Path) -> dict[str, Any]:
    """Return what the client sends with an event."""
    own = {name: value for name, value in event.items() if name not in _DIRECTIONS}
    if event.get("tool_name") in _EDITS:
        own["tool_input"] = {"file_path": str(root / event["path"])}
    session = _IDS[event["session"]]
    common = {"session_id": session, "transcript_path": f"{root.parent}/{session}.jsonl", "cwd": str(root)}
    return {**common, "hook_event_name": event["event"], **own}


def _read(answer: str) -> dict[str, str]:
    """Return what a hook answers to user and Claude."""
    reply: Any = fast_json.loads(answer.encode()) if answer.strip() else {}
    told = str(reply.get("hookSpecificOutput", {}).get("additionalContext", ""))
    return {"user": str(reply.get("systemMessage", "")), "claude": told}


def _from(text: str, event: dict[str, Any]) -> str:
    """Return what an answer says from the heading on that the recording names, without the tags around it."""
    inside = "\n".join(line for line in text.splitlines() if not line.startswith(("<holdfast-", "</holdfast-")))
    heading = event.get("since", "")
    return inside[max(0, inside.find(heading)) :]


def _sections(text: str, names: list[str]) -> str:
    """Return these sections of a Markdown text."""
    found, shown = list[str](), False
    for line in text.splitlines():
        if line.startswith("## "):
            shown = line[3:].strip() in names
        if shown and not line.startswith("<!--"):
            found.append(line)
    return "\n".join(found)


_READERS = {"user": "You see:", "claude": "Claude is told:", "file": "The state file says:"}
_SIZE = 80, 24  # columns and lines of a screen
_TAKEN = 5  # lines for the title, what happens, and the question for the next step


@cli.command()
@reports
def demo() -> None:
    """Play a recorded session in a scratch project, which is removed at the end.

    It needs no client and no account. In a terminal Enter shows the next screen, and the last one is the board.
    """
    scratch = Scratch()
    try:
        shown = [_show(number, one) for number, one in enumerate(play(scratch), 1)]
        if screen.can_ask() and not is_json():
            _open_board(scratch)
    finally:
        scratch.close()
    script = os.path.relpath(f"{paths.PLUGIN_ROOT}/install.sh")
    script = script if os.sep in script else f"./{script}"  # a shell looks for a bare name in PATH
    install = [] if paths.typed() == "holdfast" or not os.path.isfile(script) else [f"Install it: {script}"]
    report({"screens": shown}, "The scratch project is gone.", *install, "In a project of yours: holdfast init")


def _show(number: int, one: Screen) -> "dict[str, object]":
    """Print one screen, wait for Enter where a person reads, and return the screen as a row of JSON."""
    if not is_json():
        if number > 1 and screen.can_ask():
            _wait("Enter: next")
            click.clear()
        say(*lines(number, one))
    parts = [{"reader": part.reader, "text": part.text} for part in one.parts]
    return {"title": one.title, "text": one.text, "parts": parts}


def lines(number: int, one: Screen) -> list[str]:
    """Return a screen as lines: at most 24 lines of at most 80 columns."""
    columns, height = _SIZE
    room = height - _TAKEN
    shown = [screen.paint(f"{number}. {one.title}", "bold"), *screen.fold(one.text, columns)]
    for left, part in zip(range(len(one.parts), 0, -1), one.parts, strict=True):
        quoted = _quoted(part.text, room // left - 2)
        room -= len(quoted) + 2
        shown += ["", screen.paint(_READERS.get(part.reader, f"$ {part.reader}"), "cyan"), *quoted]
    return [*shown, ""]


def _quoted(text: str, most: int) -> list[str]:
    """Return at most so many lines of a text, indented, and how many more there are."""
    columns = _SIZE[0] - 2
    whole = [part for line in text.strip("\n").split("\n") for part in textwrap.wrap(line, columns) or [""]]
    kept = whole if len(whole) <= most else whole[: most - 1]
    left = len(whole) - len(kept)
    return [
        *(f"  {line}".rstrip() for line in kept),
        *([screen.paint(f"  ({left} more lines)", "dim")] if left else []),
    ]


def _open_board(scratch: Scratch) -> None:
    """Open the board of the scratch project; the user leaves it with q."""
    _wait("Enter: the board (q leaves it)")
    scratch.open_board()


def _wait(text: str) -> None:
    """Wait for Enter; what was typed before does not count."""
    termios.tcflush(sys.stdin, termios.TCIFLUSH)
    click.prompt(text, default="", show_default=False, prompt_suffix="")
