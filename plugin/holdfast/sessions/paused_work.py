"""Paused work with a hand-over, as the brief shows it; no state file is parsed for it."""

from holdfast.core import clock
from holdfast.core.fast_json import number_of, text_of, texts_of
from holdfast.project.paths import PRIVATE
from holdfast.sessions.session import Session
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FORMAT = "continue-here"
STEM = "." + FORMAT  # how the name of a hand-over begins
NAME, PATTERN = PATTERNS = f"{STEM}.md", f"{STEM}-*.md"
TITLE = "## Paused, to be continued"
_LABELLED = range(40, 401)  # characters of a line that precedes a text which is cut
_NOTE = rb"(?m)^Note:\r?\n\r?\n((?:>[^\n]*(?:\n|$))+)"
_MARKS = ("<!-- holdfast:", "<!-- /holdfast:")  # for those who edit the file; a reader does not need them


def is_handed_over(session: Session) -> bool:
    """Whether a state file is a hand-over that is at the root and waits to be continued."""
    summary = session.summary
    known = text_of(summary, "format") == FORMAT and session.open
    return known and not session.journaled and _is_at_root(_folder(session))


def states(handed: list[Session]) -> set[str]:
    """Return the names of the state files that these hand-overs belong to."""
    known = [(_folder(one), name) for one in handed for name in texts_of(one.summary, "artifacts")]
    return {name for _, name in known} | {f"{folder}/{name}" for folder, name in known}


def _is_at_root(folder: str) -> bool:
    """Whether a folder, as names of state files have it, is the root of a working tree or where no commit looks."""
    outer, _, name = folder.rpartition("/")
    private = PRIVATE.lstrip("/")  # of the main working tree; of another one it has its name
    return not folder or folder.endswith(private) or (outer.endswith(private) and not name.startswith("."))


def named(session: Session) -> str:
    """Return the name by which `holdfast continue` takes up a hand-over: without the folder that no commit has."""
    folder, _, name = session.state_name.rpartition("/")
    return name if PRIVATE.lstrip("/") in folder and _is_at_root(folder) else session.state_name


def _folder(session: Session) -> str:
    """Return the folder of a hand-over as its name has it: "" for the root of the working tree, or the private one."""
    return session.state_name.rpartition("/")[0]


def without_handovers(everyone: "Iterable[Session]") -> list[Session]:
    """Return the sessions without the hand-overs whose state file is among them."""
    sessions = list(everyone)
    names = {session.state_name for session in sessions}
    return [one for one in sessions if not (is_handed_over(one) and names & states([one]))]


def section(handed: list[Session], now: float, room: int) -> tuple[str, list[str]]:
    """Return the section of the brief within `room` characters, "" for none, and what was cut of it."""
    if not handed:
        return "", []
    share = (room - len(TITLE)) // len(handed) - 2
    lines, cut = [TITLE], []
    for one in handed:
        if one.summary.get("untrusted"):
            lines.append(f"{line(one.title, named(one), number_of(one.summary, 'updated'), now)}; not accepted here.")
            continue
        take_up = f"`{_command(one) if len(handed) > 1 else 'holdfast continue'}` takes it up"
        head = f"{line(one.title, named(one), number_of(one.summary, 'updated'), now)}; {take_up}:\n"
        if len(head) >= share:
            continue
        data = _without_empty(one.text())
        body = quoted(data, share)
        if len(head) + len(body) > share:
            head += _first(one, data, share - len(head))
            body = fitted(body, share - len(head))
            cut.append(f"the end of {named(one)}")
        lines.append(head + body)
    if left := len(handed) - len(lines) + 1:
        cut.append(f"{left} of {len(handed)} in paused work" if len(handed) > 1 else "paused work")
    return "\n".join(lines) if lines[1:] else "", cut


def _command(one: Session) -> str:
    """Return the line that takes up this hand-over and no other."""
    return f"holdfast continue {safe.shell(safe.line(named(one), 200))}"


def _first(one: Session, data: bytes, room: int) -> str:
    """Return the lines before the text of a hand-over that is cut: its next steps and its note."""
    import re  # few starts have a hand-over

    note = re.search(_NOTE, data)
    text = note[1][: _LABELLED[-1] * 8].decode("utf-8", "replace") if note else ""
    labelled = {
        "Next": "; ".join(texts_of(one.summary, "next")),
        "Note": "; ".join(line.lstrip("> ") for line in text.splitlines() if line.strip("> \r")),
    }
    most = min(_LABELLED[-1], room // 3)
    lines = [f"  {label}: {safe.line(words, most)}" for label, words in labelled.items() if most in _LABELLED and words]
    return "".join(f"{safe.clip(words, most)}\n" for words in lines)


def note(data: bytes) -> list[str]:
    """Return the note of a hand-over as lines, [] for none."""
    import re

    match = re.search(_NOTE, data)
    lines = safe.safe(match[1].decode("utf-8", "replace")).splitlines() if match else []
    return ["Note:", *(f"  {text.removeprefix('>').strip()}" for text in lines)] if lines else []


def line(title: str, name: str, at: float, now: float) -> str:
    """Return the line above the text of a hand-over: its title, its file, and when the work was paused."""
    age = f"paused {clock.ago(now - at)}" if at else "of no known time"
    return f'- "{safe.line(title, 100)}" ({safe.line(name, 200)}, {age})'


def _without_empty(data: bytes) -> bytes:
    """Return a hand-over without the elements that say "None", and without blank lines inside the tags."""
    kept: list[bytes] = []
    for line in data.splitlines():
        before = kept[-1] if kept else b""
        opened = before[:1] == b"<" and before[1:2] != b"/" and before[-1:] == b">"
        if not line and (opened or not before):
            continue
        if line.startswith(b"</") and kept and not before:
            kept.pop()
        kept.append(line)
        if line.startswith(b"</") and kept[-3:-1] == [b"<" + line[2:], b"None"]:
            del kept[-3:]
    return b"\n".join(kept) + b"\n"


def quoted(data: bytes, room: int) -> str:
    """Return a file's text with a mark before each line, so that no heading or fence of its own counts.

    Only the first `room` * 4 bytes are read. Blank lines under headings are left out.
    """
    lines = data[: room * 4].decode("utf-8", "replace").splitlines()
    lines = [line for line in lines if not line.startswith(_MARKS)]
    lines = [line for line, before in zip(lines, ["#", *lines], strict=False) if line or before[:1] not in {"#", ""}]
    whole = safe.safe("\n".join(lines))
    return "\n".join(f"> {line}".rstrip() for line in whole.strip().splitlines())


def fitted(lines: str, room: int) -> str:
    """Return as many whole lines as fit into `room` characters."""
    return lines if len(lines) <= room else lines[: max(0, room)].rpartition("\n")[0]
