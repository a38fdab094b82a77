"""The conversations that this clone sends: a ref for each session, with the encrypted parts of its transcript.

`refs/holdfast-conversations/MACHINE/SESSION` is a history that only grows. The tree of its commit has the parts in
their order, `0000.age` and so on. A part begins with a line of JSON that says where its paths belong; lines of the
transcript follow. The summary of the session names the commit, so that the signature of the own ref counts for it.
"""

import hashlib
import json
import os

from holdfast.core import fast_json, files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import list_of, number_of, text_of, texts_of
from holdfast.git import objects, remotes
from holdfast.git.objects import FILE, Entry
from holdfast.journal import payload
from holdfast.project import paths
from holdfast.sharing import ignored, people, status
from holdfast.sharing.conversation import sealed
from holdfast.sharing.conversation.portable import Portable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from holdfast.sessions.session import Session
    from holdfast.sessions.survey import Survey
    from holdfast.sharing.status import Sharing

LARGEST = 64 << 20  # bytes of a transcript
MOST_PARTS = 64
FORMAT = 1
_MOST, _DAYS = 20, 14 * 86_400.0  # conversations, and seconds since a session was active
_IDS = 200  # tool calls that are remembered from one part to the next
_MESSAGE = "a conversation of holdfast\n"


class Sent:
    """What was made of one conversation: how much of the transcript is in which parts, for which readers.

    - read, head: bytes of the transcript that are in parts, and their SHA-256. parts: the objects of the parts.
    - signature: of the transcript when it was read.
    - machine, readers: for which machine's ref, and a SHA-256 of the keys. ids: see `Portable`.
    - commit, pushed: the commit with these parts, and the one that the remote has.
    """

    __slots__ = ("commit", "head", "ids", "machine", "parts", "pushed", "read", "readers", "signature")

    def __init__(self) -> None:
        self.commit = self.head = self.machine = self.pushed = self.readers = ""
        self.read = 0
        self.parts: list[str] = []
        self.ids: list[str] = []
        self.signature: list[int] = []


def publish(survey: "Survey", sharing: "Sharing") -> tuple[dict[str, str], list[str]]:
    """Add to the own refs what is new in the conversations that are sent; return session -> commit, and problems."""
    found, problems, waiting = dict[str, str](), list[str](), chosen(survey, sharing)
    tips = objects.refs(survey.workspace.project.root, sharing.conversations) if waiting else {}
    for session in waiting:
        tip = tips.get(sharing.conversations + session.id, "")
        try:
            found[session.id] = _published(survey, sharing, session, tip)
        except (HoldfastError, OSError) as error:
            found |= {session.id: tip} if tip else {}  # what was sent of it before stays
            problems.append(f"the conversation of {session.id[:8]} is not sent: {error}")
    return found, problems


def chosen(survey: "Survey", sharing: "Sharing | None") -> "list[Session]":
    """Return the sessions whose conversations are sent: those of Claude Code that can go on, the latest first."""
    if sharing is None or not sharing.readers:
        return []
    since = survey.workspace.now - _DAYS
    can_go_on = (
        one
        for one in survey.sessions
        if one.journaled and not one.client and not one.passed_on and one.category != "completed" and one.worked
    )
    known = [one for one in can_go_on if one.last_active >= since and os.path.isfile(one.transcript)]
    return sorted(known, key=lambda one: -one.last_active)[:_MOST]


def text_of_conversation(survey: "Survey", session: "Session") -> bytes:
    """Return all lines of a conversation as they are sent, before they are encrypted; OSError."""
    return _portable(survey, session, []).lines(_whole_lines(session.transcript))


def waits(sharing: "Sharing", session: "Session") -> bool:
    """Whether a conversation has something that the remote has not got, or is to be encrypted to other readers."""
    sent = _load(sharing.store, session.id)
    is_sent = sent.commit and (sent.pushed, sent.machine, sent.readers) == (
        sent.commit,
        sharing.machine,
        _readers(sharing),
    )
    return not is_sent or sent.signature != files.signature(os.stat(session.transcript))


def commit_of(store: str, ident: str) -> str:
    """Return the commit that has what was last sent of a conversation, "" for none."""
    return _load(store, ident).commit


def _published(survey: "Survey", sharing: "Sharing", session: "Session", tip: str) -> str:
    """Add what is new in one conversation to its ref; return the commit. HoldfastError, OSError."""
    project = survey.workspace.project
    known, signature = _load(sharing.store, session.id), files.signature(os.stat(session.transcript))
    readers = _readers(sharing)
    same = (known.machine, known.readers, known.commit) == (sharing.machine, readers, tip) and tip
    if same and known.signature == signature:
        return tip
    data = _whole_lines(session.transcript)
    if not same or len(known.parts) >= MOST_PARTS or known.head != _digest(memoryview(data)[: known.read]):
        pushed = known.pushed if known.machine == sharing.machine else ""
        known = Sent()
        known.machine, known.readers, known.pushed = sharing.machine, readers, pushed
    if known.parts and known.read == len(data):
        return tip
    portable = _portable(survey, session, known.ids)
    head = json.dumps(head_of_part(survey, session, len(known.parts))).encode()
    part = sealed.sealed(head + b"\n" + portable.lines(data[known.read :]), sharing.readers)
    scratch = f"{status.folder(sharing.store)}/scratch"
    known.parts += objects.write_blobs(project.root, scratch, [part])
    entries = {f"{number:04}.age": Entry(FILE, name) for number, name in enumerate(known.parts)}
    (tree,) = objects.write_trees(project.root, [entries])
    options = (people.options(project.root)[0], list[str]())  # not signed: the own ref names it
    known.commit = objects.commit(project.root, tree, tip, _MESSAGE, options)
    if not objects.move(project.root, sharing.conversations + session.id, known.commit, tip):
        raise HoldfastError("another process sends it just now")
    known.read, known.head, known.ids = len(data), _digest(data), portable.ids[-_IDS:]
    known.signature = signature
    _save(sharing.store, session.id, known)
    return known.commit


def _readers(sharing: "Sharing") -> str:
    return _digest("\n".join(sharing.readers).encode())


def _portable(survey: "Survey", session: "Session", ids: list[str]) -> Portable:
    """Return what makes lines of a session's transcript portable; OSError if `.holdfastignore` cannot be read."""
    root = session.worktree or session.root or survey.root
    is_ignored = ignored.reader(survey.root)
    kept_back = [path for path in session.files if is_ignored(path)]
    return Portable(root, is_ignored, ignored.hider(is_ignored, root, kept_back), ids)


def head_of_part(survey: "Survey", session: "Session", number: int) -> dict[str, object]:
    """Return the first line of a part: which one it is, and where its paths belong on this machine."""
    return {
        "format": FORMAT,
        "session": session.id,
        "part": number,
        "root": survey.workspace.project.root,
        "tree": session.worktree or session.root,
        "folder": session.folder,
        "config": paths.claude_config(os.environ),
        "home": os.path.expanduser("~"),
    }


def _whole_lines(path: str) -> bytes:
    """Return a transcript without a last line that is not complete; OSError also when it is too large."""
    data = files.read(path, LARGEST)
    return data[: data.rfind(b"\n") + 1]


def _digest(data: "bytes | memoryview") -> str:
    return hashlib.sha256(data).hexdigest()


def send(root: str, common: str, sharing: "Sharing", current: "Collection[str]") -> None:
    """Bring the refs of these sessions to the remote, and remove the others from it and here; RemoteError.

    `common` is the git folder that all working trees share.
    """
    for ident in current:
        sent, ref = _load(sharing.store, ident), sharing.conversations + ident
        if sent.commit != sent.pushed and remotes.push(root, sharing.remote, f"{sent.commit}:{ref}"):
            sent.pushed = sent.commit
            _save(sharing.store, ident, sent)
    for ident in _known_ids(sharing.store).difference(current):
        sent, ref = _load(sharing.store, ident), sharing.conversations + ident
        if sent.pushed and sent.machine == sharing.machine:
            remotes.push(root, sharing.remote, f":{ref}")
        objects.delete(root, common, [ref])
        files.unlink_quietly(_path(sharing.store, ident))


def clear(root: str, common: str, sharing: "Sharing") -> None:
    """Delete the refs here of all conversations."""
    objects.delete(root, common, objects.refs(root, sharing.conversations))


def _known_ids(store: str) -> set[str]:
    """Return the sessions whose conversation was sent, or may have been."""
    try:
        return {name for name in os.listdir(_path(store, "")) if payload.is_session(name)}  # a kill leaves other files
    except OSError:
        return set()


def _load(store: str, ident: str) -> Sent:
    row, found = fast_json.read_object(_path(store, ident)), Sent()
    for name in ("commit", "head", "machine", "pushed", "readers"):
        setattr(found, name, text_of(row, name))
    found.read = int(number_of(row, "read"))
    found.parts, found.ids, found.signature = texts_of(row, "parts"), texts_of(row, "ids"), list_of(row, "signature")
    return found


def _save(store: str, ident: str, sent: Sent) -> None:
    row = {name: getattr(sent, name) for name in Sent.__slots__}
    files.write_private(_path(store, ident), fast_json.dumps(row).encode() + b"\n")


def _path(store: str, ident: str) -> str:
    return f"{status.folder(store)}/conversations/{ident}"
