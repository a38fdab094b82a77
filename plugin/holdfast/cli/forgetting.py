"""The commands `forget` and `preferences`: remove texts from what was kept, and say which of one's own words count."""

import contextlib
import os
import re
import time
import unicodedata

import click

from holdfast.actions import adoption, settle
from holdfast.cli import screen
from holdfast.cli.app import cli, own_session, print_json, require_store, say, say_nothing
from holdfast.cli.output import is_json, reports
from holdfast.context.compaction import snapshots
from holdfast.core import cache, fast_json, files
from holdfast.core.errors import HoldfastError
from holdfast.editing import store
from holdfast.journal import given_up, log, said
from holdfast.journal.given_up import DROPPED, KEPT
from holdfast.project import discovery, paths
from holdfast.project.paths import PRIVATE
from holdfast.sessions import listed
from holdfast.sessions import survey as sessions
from holdfast.sessions.workspace import Workspace
from holdfast.trust import clone, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.context.compaction.snapshots import Snapshot
    from holdfast.journal.given_up import Preference
    from holdfast.project.paths import Project


# The keys of a fact whose values were said or written by somebody. Ids, paths, times and statuses stay.
_KEYS = ("text", "title", "subject", "background", "wrote", "mentions", "examples", "note")
_COMPUTED = frozenset(("measured", "drift"))  # kinds of facts that quote, and are computed again
_TRIES = 5  # a session may add to its journal meanwhile


class Wanted:
    """What to forget: the texts that have `phrase`, in whatever case, or all texts of one `session`."""

    def __init__(self, phrase: str = "", session: str = "") -> None:
        self.phrase, self.session = _plain(phrase), session
        self.renamed: dict[str, str] = {}  # the name of a state file with the phrase -> its new one

    def fits(self, text: str) -> bool:
        """Whether a text is to be forgotten."""
        return bool(text) and (bool(self.session) or self.phrase in _plain(text))

    def without(self, text: str) -> str:
        """Return a text with an ellipsis in the place of the phrase."""
        forms = (unicodedata.normalize(form, self.phrase) for form in ("NFC", "NFD"))
        return re.sub(
            "|".join(r"\s+".join(map(re.escape, form.split())) for form in forms), "…", text, flags=re.IGNORECASE
        )

    def sessions(self, home: str) -> list[str]:
        """Return the ids of the sessions to look at."""
        return [self.session] if self.session else log.sessions(home)


class Kept:
    """What is kept: the number of texts by session, snapshots, private files, and files that forget does not change."""

    def __init__(self, project: "Project", wanted: Wanted) -> None:
        home = project.store
        counts = {ident: _without(_data(home, ident), wanted)[1] for ident in wanted.sessions(home)}
        self.texts = {ident: count for ident, count in counts.items() if count}
        self.snapshots = [one for one in snapshots.everyone(home) if _concerns(one, wanted)]
        known = given_up.preferences(home) if wanted.phrase else {}
        self.preferences = sum(wanted.fits(text) for group in known.values() for _, text in group)
        others = sorted(_others(home, wanted)) if wanted.phrase else []
        self.private = [
            name
            for name in others
            if name.startswith("handed/") or (name.startswith(f"{os.path.basename(PRIVATE)}/") and name.endswith(".md"))
        ]
        self.others = [name for name in others if name not in self.private]
        self.state_files = sorted(_state_files(project, wanted)) if wanted.phrase else []

    @property
    def count(self) -> int:
        """The number of texts in journals and preferences, and of private files."""
        return sum(self.texts.values()) + self.preferences + len(self.private)


def remove(project: "Project", wanted: Wanted, kept: Kept) -> Kept:
    """Remove what is kept, and return what is still kept, as read back; HoldfastError, or OSError from the system."""
    workspace = Workspace(project, time.time())
    with store.writing(project):
        for ident in kept.texts:
            _retitle(workspace, ident, wanted)
            _rewrite(project.store, ident, wanted)
        for one in kept.snapshots:
            snapshots.remove(one)
        if kept.preferences:
            given_up.forget_preferences(project.store, wanted.fits)
        for end in ("", "-journal"):
            files.unlink_quietly(f"{project.store}/{cache.NAME}{end}")  # it is computed again
    workspace = Workspace(project, time.time())
    for ident in kept.texts:
        if os.path.isfile(workspace.recorded(ident).state):
            with contextlib.suppress(HoldfastError):  # then its text stays, and is reported
                settle.settle(workspace, ident, always=True)
    workspace.stage()
    for name in kept.others:
        if name.startswith("stopped/"):  # what a file looked like, and where it was
            files.unlink_quietly(f"{project.store}/{name}")
    for name in Kept(project, wanted).private:
        store.update(f"{project.store}/{name}", lambda data: wanted.without(data.decode()).encode())
    return Kept(project, wanted)


def _retitle(workspace: Workspace, ident: str, wanted: Wanted) -> None:
    """Take the phrase out of a title that holdfast gave a state file, and out of its name if no commit has it."""
    session = workspace.recorded(ident)
    title = session.file.title
    if wanted.phrase and session.file.made and os.path.isfile(session.state) and wanted.fits(title):
        adoption.retitle(workspace, session, wanted.without(title), session.file.title_from)
        before, after = (os.path.basename(one.state) for one in (session, workspace.recorded(ident)))
        wanted.renamed |= {before: after} if before != after else {}


def _rewrite(home: str, ident: str, wanted: Wanted) -> None:
    """Replace a journal by one without the texts; its time stays, which is when the session was last active."""
    path = log.path_of(home, ident)
    for _ in range(_TRIES):
        status = os.stat(path)
        data = files.read(path, files.OWN_LIMIT)
        kept, count = _without(data, wanted)
        if len(data) != status.st_size:
            continue
        if not count or files.write_atomic(path, kept, unchanged_since=status):
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
            return
    raise HoldfastError(f"the journal of {ident} is written to all the time. Type it again when the session is idle.")


def _without(data: bytes, wanted: Wanted) -> tuple[bytes, int]:
    """Return the lines of a journal without the texts, and how many have one; other lines keep their bytes."""
    kept, count = [], 0
    for line in data.splitlines(keepends=True):
        shorter = _shorter(line, wanted)
        count += shorter != line
        kept.append(shorter)
    return b"".join(kept), count


def _shorter(line: bytes, wanted: Wanted) -> bytes:
    """Return a line of a journal without the texts; an incomplete one that has them becomes empty."""
    fact = fast_json.object_in(line)
    if not fact:
        return b"\n" if wanted.fits(line.decode("utf-8", "replace").strip()) else line
    changed = {**fact, **{key: _emptied(fact[key], wanted) for key in _KEYS if key in fact}}
    if fact.get("kind") in _COMPUTED and _emptied(fact, wanted) != fact:
        changed = {key: fact[key] for key in ("at", "kind") if key in fact}
    if fact.get("kind") == "answer" and changed != fact:
        changed["forgotten"] = True  # which is no request without an answer
    for before, after in wanted.renamed.items():
        paths = {key: text for key, text in changed.items() if isinstance(text, str) and text.endswith(before)}
        changed |= {key: text.removesuffix(before) + after for key, text in paths.items()}
    return line if changed == fact else log.line(changed) + b"\n"


def _emptied(value: object, wanted: Wanted) -> object:
    """Return a value with empty texts for those that are to be forgotten."""
    if isinstance(value, str):
        return "" if wanted.fits(value) else value
    if isinstance(value, list):
        return [_emptied(one, wanted) for one in value]
    if isinstance(value, dict):
        return {key: _emptied(one, wanted) for key, one in value.items()}
    return value


def _concerns(one: "Snapshot", wanted: Wanted) -> bool:
    """Whether a snapshot is to be removed."""
    return one.session == wanted.session if wanted.session else snapshots.holds(one, wanted.fits)


def _others(home: str, wanted: Wanted) -> "Iterator[str]":
    """Yield other files of the store that have the phrase: paths in journals, private state files, what is shared."""
    for folder, _, names in os.walk(home):
        for path in (f"{folder}/{name}" for name in names if not name.startswith(cache.NAME)):
            whole = path[len(home) + 1 :]
            data = b"" if whole.startswith("snapshots/") else files.read_or_none(path) or b""
            if path == paths.preferences_file(home):
                continue
            if whole.startswith("journal/"):
                data = _without(data, wanted)[0]
            if wanted.fits(data.decode("utf-8", "replace")):
                yield whole


def _state_files(project: "Project", wanted: Wanted) -> "Iterator[str]":
    """Yield the state files of the working tree that have the phrase, in their text or their name."""
    workspace = Workspace(project, time.time())
    for path in discovery.state_files(project.root, workspace.formats.patterns).paths if project.root else []:
        name = project.relative(path) or path
        text = (files.read_or_none(path) or b"").decode("utf-8", "replace")
        if wanted.fits(name) or wanted.fits(text):
            line = next((number for number, one in enumerate(text.splitlines(), 1) if wanted.fits(one)), 0)
            yield f"{name}:{line}" if line else name


def _data(home: str, ident: str) -> bytes:
    """Return the bytes of a journal, b"" without one."""
    try:
        return files.read(log.path_of(home, ident), files.OWN_LIMIT)
    except OSError:
        return b""


def _plain(text: str) -> str:
    """Return a text in lower case and NFC, with single blanks."""
    return " ".join(unicodedata.normalize("NFC", text).lower().split())


_SHORTEST = 2  # characters of a phrase
_SHOWN = 5  # names in a line
_STAYS = (
    "Not changed: commits, what was sent to other machines (holdfast share forget), your own files, and transcripts of "
    "the client."
)


@cli.command("forget")
@click.argument("words", nargs=-1, required=True, metavar="WORDS|ID")
@click.option("-y", "--yes", is_flag=True, help="Ask no question.")
@reports
@click.pass_obj
def forget(workspace: Workspace, *, words: tuple[str, ...], yes: bool) -> None:
    """Remove texts from journals, snapshots and the index.

    With WORDS: the texts that have them in this order, in whatever case. With the ID of a session: all its texts. Times
    and paths of files stay.
    """
    if clone.output_reaches_claude():
        raise HoldfastError("nothing was removed. Only a person may do this, in a terminal: holdfast forget")
    project = workspace.project
    require_store(project)
    wanted = _wanted(project.store, " ".join(words))
    kept = Kept(project, wanted)
    if not is_json():
        say(*_lines(kept, "Kept here:"))
    if not (kept.count or kept.snapshots):
        left = kept
    elif yes or (not is_json() and screen.can_ask() and click.confirm("Remove it?")):
        left = remove(project, wanted, kept)
    else:
        raise HoldfastError("nothing was removed. To remove it without a question, add: --yes")
    _report(kept, left, as_json=is_json())


def _wanted(store: str, words: str) -> Wanted:
    """Return what to forget: a session if that is its id or short id, else what has these words."""
    short = listed.shortened(log.sessions(store))
    ident = next((ident for ident, name in short.items() if words in {ident, name}), "")
    if not ident and len(words.strip()) < _SHORTEST:
        raise HoldfastError("a single character is in every text. Give a word, or the ID of a session.")
    return Wanted(session=ident) if ident else Wanted(words)


def _lines(kept: Kept, heading: str) -> list[str]:
    """Return what is kept, as lines."""
    if not (kept.count or kept.snapshots):
        return ["No text of a journal or snapshot has it."]
    texts = [f"- {count} in the journal of session {ident}" for ident, count in kept.texts.items()]
    texts += [f"- {kept.preferences} in the preferences"] if kept.preferences else []
    texts += [f"- the words in {safe.line(name)}" for name in kept.private]
    taken = [f"- the whole snapshot {one.short}" for one in kept.snapshots]
    return [heading, *texts, *taken]


def _other_lines(kept: Kept) -> list[str]:
    """Return a line about the files of the store that stay, and one about state files."""
    names = safe.listed([safe.line(name) for name in kept.others], _SHOWN)
    lines = (
        [f"These files of the store have it in the name of a file, folder or branch, and stay: {names}"]
        if names
        else []
    )
    states = safe.listed([safe.line(name) for name in kept.state_files], _SHOWN)
    return [*lines, *([f"State files that have it, for you to edit: {states}"] if states else [])]


def _report(before: Kept, left: Kept, *, as_json: bool) -> None:
    """Print what was removed, as read back, and what stays."""
    texts, taken = before.count - left.count, len(before.snapshots) - len(left.snapshots)
    if as_json:
        sessions = [ident for ident, count in before.texts.items() if left.texts.get(ident, 0) < count]
        rest = {"left": left.count + len(left.snapshots), "stays": left.others, "state_files": left.state_files}
        print_json({"texts": texts, "sessions": sessions, "snapshots": taken, **rest})
        return
    if before.count or before.snapshots:
        say(f"Removed: texts: {texts}, snapshots: {taken}. The index is made again.")
    if left is not before and (left.count or left.snapshots):
        say(*_lines(left, "Still kept here:"))
    say(*_other_lines(left), _STAYS)


_LATEST = 10  # the latest ones whose corrections are listed
_MOST = 20  # corrections that nobody has confirmed


@cli.command("preferences")
@click.option("--keep", type=int, default=0, metavar="N", help="Let number N count in later sessions, too.")
@click.option("--drop", type=int, default=0, metavar="N", help="Let number N count no more.")
@reports
@click.pass_obj
def list_preferences(workspace: Workspace, *, keep: int, drop: int) -> None:
    """List what the user corrected or prefers, in their words.

    What is kept is told to each session that starts; the rest counts for its session only.
    """
    store = workspace.project.store
    require_store(workspace.project)
    if keep and drop:
        raise click.UsageError("Give --keep N or --drop N, not both.")
    listed = _listed(workspace)
    done = ""
    for number, status in ((keep, KEPT), (drop, DROPPED)):
        if number:
            one, _ = _numbered(listed, number)
            given_up.note_preference(store, one, status)
            done = f"{status.capitalize()}: {one[1]}"
            listed = _listed(workspace)
    rows = [
        {"number": number, "text": text, "said": at, "kept": kept}
        for number, ((at, text), kept) in enumerate(listed, 1)
    ]
    if is_json():
        print_json({"preferences": rows, "done": done})
    elif done:
        say(done)
    elif rows:
        say(*(_preference(number, one, kept=kept) for number, (one, kept) in enumerate(listed, 1)))
    else:
        say_nothing("No correction and no preference of yours is recorded here.")


def _listed(workspace: Workspace) -> "list[tuple[Preference, bool]]":
    """Return what is kept, then what was said in the own or the latest sessions; each with whether it is kept."""
    store = workspace.project.store
    known = given_up.preferences(store)
    over = {text for group in known.values() for _, text in group}
    latest = sorted(sessions.survey(workspace).sessions, key=lambda one: -one.last_active)
    idents = [own_session()] if own_session() else [one.id for one in latest if one.journaled][:_LATEST]
    times = {text: at for ident in idents for at, text in said.of_session(store, ident).corrections}
    new = sorted(((at, text) for text, at in times.items() if text not in over), reverse=True)[:_MOST]
    return [*((one, True) for one in known[KEPT]), *((one, False) for one in new)]


def _numbered(listed: "list[tuple[Preference, bool]]", number: int) -> "tuple[Preference, bool]":
    if not 1 <= number <= len(listed):
        raise HoldfastError(f"there is no number {number}; holdfast preferences lists {len(listed)}.")
    return listed[number - 1]


def _preference(number: int, one: "Preference", *, kept: bool) -> str:
    day = time.strftime("%d %b", time.localtime(one[0]))
    return f"{number:>3}  {'kept' if kept else '    '}  {day}  {safe.line(one[1], 300)}"
