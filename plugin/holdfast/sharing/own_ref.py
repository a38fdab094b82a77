"""The own ref: what this machine shares of each session, as a history that grows, and begins anew once a year.

The tree of a commit has `machine.json`, its signature, and one folder for each month. In a month each session that
started in it has a folder with its texts. Months that are over do not change, so that a fetch brings only what is new.

What is signed is `machine.json` alone. It names the machine and so the ref, the project, and the folder of each month
with all in it: nothing of it counts in another place.

Of the conversation it has what the state file quotes. A text that may come from elsewhere is not passed on, because the
signature of this machine would vouch for it.
"""

import hashlib
import os
import time
from typing import NamedTuple

from holdfast.core import fast_json, files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import number_of, text_of, texts_of
from holdfast.git import objects, queries, remotes
from holdfast.git.objects import FILE, FOLDER, Entry
from holdfast.git.run import LONG_TIMEOUT, run
from holdfast.project import ids
from holdfast.sessions import listed, paused_work
from holdfast.sharing import ignored, machine, people, rows, status
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from holdfast.sharing.status import Sharing

    Key = tuple[str, str]  # month and id
    from collections.abc import Callable

    from holdfast.journal.session import Recorded
    from holdfast.sessions.session import Session
    from holdfast.sessions.survey import Survey
    from holdfast.sessions.workspace import Workspace
    from holdfast.sharing.ignored import Patterns

    Hidden = Callable[[str], str]
    Texts = dict[str, bytes]  # name -> text

MACHINE, SIGNATURE = "machine.json", "machine.json.sig"
LARGEST_COMMIT, LARGEST_TREE, LARGEST_MACHINE = 1 << 16, 4 << 20, 1 << 16  # bytes
FORMAT = 2  # of machine.json
_MESSAGE = "sessions of holdfast\n"
_PASSING = {"sequence", "at", "host"}  # keys of machine.json that alone are no news
_DAY = 86_400.0  # seconds
_YEAR = 365 * _DAY


class Shared(NamedTuple):
    """The tree of a commit, as far as it was read: what is in machine.json, and the folders of sessions by month."""

    row: "dict[str, object]"
    months: dict[str, dict[str, Entry]]


def has(root: str, sharing: "Sharing", month: str, ident: str) -> bool:
    """Whether the own ref has a session."""
    return objects.kinds(root, [f"{sharing.ref}:{month}/{ident}"])[0][0] == "tree"


def changes(root: str, ref: str, texts: "dict[Key, Texts]", scratch: str) -> "dict[Key, Texts]":
    """Return those of the sessions of which `ref` has not these texts yet. Nothing but blobs is written."""
    before = _read(root, ref, {month for month, _ in texts})
    folders = _folders(root, texts, scratch)
    return {key: texts[key] for key, name in folders.items() if _name(before, key) != name}


def _name(before: Shared, key: "Key") -> str:
    entry = before.months.get(key[0], {}).get(key[1])
    return entry.name if entry else ""


def publish(  # noqa: PLR0913 - each is needed
    root: str, sharing: "Sharing", texts: "dict[Key, Texts]", at: float, *, keep_days: int, anyway: bool
) -> str:
    """Add these sessions to the own ref; return its commit. Without a change only if `anyway` is set.

    Sessions that are in it already and not among these stay as they are. When the history is a year old, the new commit
    has no parent, and old sessions shrink to their summary: those of a month that was over `keep_days` ago (0: none),
    without these. HoldfastError when git fails.
    """
    sharing.begun = sharing.begun or at
    anew = at - sharing.begun >= _YEAR
    tip = _tip(root, sharing.ref)
    before = _read(root, tip, {month for month, _ in texts}) if tip else Shared({}, {})
    folders = _folders(root, texts, _scratch(sharing))
    months = _merged(root, tip, before, folders)
    if anew and keep_days:
        months = _shrunk(root, months, time.strftime("%Y-%m", time.gmtime(at - keep_days * _DAY)), folders.keys())
    row = about(root, sharing, int(number_of(before.row, "sequence")) + 1, at)
    row["months"] = {month: entry.name for month, entry in months.items()}
    if tip and not (anyway or anew) and all(before.row.get(key) == row[key] for key in row.keys() - _PASSING):
        return tip
    sharing.begun = at if anew else sharing.begun
    return _moved(root, sharing.ref, _commit(root, sharing, "" if anew else tip, row, months), tip)


def continued(root: str, sharing: "Sharing", before: str) -> str:
    """Let the commit that began anew follow `before` after all; return what it is then. HoldfastError."""
    here = _tip(root, sharing.ref)
    new = objects.commit(root, f"{here}^{{tree}}", before, _MESSAGE, people.options(root))
    return _moved(root, sharing.ref, new, here)


def _moved(root: str, ref: str, new: str, old: str) -> str:
    """Set the own ref to a commit, and return that; HoldfastError if the ref is not `old` any more."""
    if not objects.move(root, ref, new, old):
        raise HoldfastError("another process shares these sessions just now; nothing is lost. Type: holdfast share now")
    return new


def about(root: str, sharing: "Sharing", sequence: int, at: float) -> "dict[str, object]":
    """Return what machine.json says of this machine, without its months.

    These are its id and name, the project and the key with which it signs, the sessions that go on here, the last ids.
    """
    return {
        "format": FORMAT,
        "machine": sharing.machine,
        "project": project_names(root, sharing),
        "host": machine.host(),
        "key": sorted(people.own_prints(root)),
        "sequence": sequence,
        "at": round(at),
        "taken": {ident: round(when) for ident, when in sharing.taken.items()},
        "numbers": ids.taken(sharing.store),
    }


def _merged(root: str, tip: str, before: Shared, folders: "dict[Key, str]") -> dict[str, Entry]:
    """Return the folders of all months, with the new folders of sessions in them."""
    top = _tree(root, f"{tip}^{{tree}}") if tip else {}
    months = {name: entry for name, entry in top.items() if entry.mode == FOLDER}
    touched = sorted({month for month, _ in folders})
    trees = []
    for month in touched:
        new = {ident: Entry(FOLDER, name) for (of, ident), name in folders.items() if of == month}
        trees.append({**before.months.get(month, {}), **new})
    written = objects.write_trees(root, trees)
    return months | {month: Entry(FOLDER, name) for month, name in zip(touched, written, strict=True)}


def _shrunk(root: str, months: dict[str, Entry], since: str, keep: "Collection[Key]") -> dict[str, Entry]:
    """Return the folders of all months; in those before `since`, sessions that are not among `keep` shrink."""
    size, entries = objects.length(root), dict(months)
    for month in [name for name in months if name < since]:
        sessions = _tree(root, months[month].name)
        trees = objects.read(root, [entry.name for entry in sessions.values()], "tree", LARGEST_TREE)
        texts = [objects.entries(data, size) or {} if data else {} for data in trees]
        small = [
            {name: entry for name, entry in each.items() if name == status.SUMMARY or (month, ident) in keep}
            for ident, each in zip(sessions, texts, strict=True)
        ]
        known = {ident: each for ident, each in zip(sessions, small, strict=True) if each}
        made = objects.write_trees(root, [*known.values()])
        named = {ident: Entry(FOLDER, name) for ident, name in zip(known, made, strict=True)}
        if named:
            entries[month] = Entry(FOLDER, objects.write_trees(root, [named])[0])
    return entries


def _commit(root: str, sharing: "Sharing", tip: str, row: "dict[str, object]", months: dict[str, Entry]) -> str:
    scratch, text = _scratch(sharing), fast_json.dumps(row) + "\n"
    signature = people.sign(root, scratch, text)
    texts = {MACHINE: text.encode()} | ({SIGNATURE: signature} if signature else {})
    blobs = objects.write_blobs(root, scratch, [*texts.values()])
    entries = {name: Entry(FILE, blob) for name, blob in zip(texts, blobs, strict=True)}
    (tree,) = objects.write_trees(root, [months | entries])
    return objects.commit(root, tree, tip, _MESSAGE, people.options(root))


def _scratch(sharing: "Sharing") -> str:
    return f"{status.folder(sharing.store)}/scratch"


def _folders(root: str, found: "dict[Key, Texts]", scratch: str) -> "dict[Key, str]":
    """Store the texts of sessions, and return the name of each one's folder."""
    blobs = objects.write_blobs(root, scratch, [data for texts in found.values() for data in texts.values()])
    names = iter(blobs)
    trees = [{name: Entry(FILE, next(names)) for name in texts} for texts in found.values()]
    return dict(zip(found, objects.write_trees(root, trees), strict=True))


def _tip(root: str, ref: str) -> str:
    return objects.refs(root, ref).get(ref, "")


def _read(root: str, tip: str, months: "Iterable[str]") -> Shared:
    """Return what a commit of this machine has of these months."""
    top = _tree(root, f"{tip}^{{tree}}")
    blob = top.get(MACHINE)
    (data,) = objects.read(root, [blob.name], "blob", LARGEST_MACHINE) if blob else [None]
    row = fast_json.loads(data) if data else {}
    entries = {month: _tree(root, top[month].name) for month in months if month in top}
    return Shared(row if isinstance(row, dict) else {}, entries)


def _tree(root: str, name: str) -> dict[str, Entry]:
    (data,) = objects.read(root, [name], "tree", LARGEST_TREE)
    return (objects.entries(data, objects.length(root)) if data else None) or {}


_MOST = 20  # first commits


def project_names(root: str, sharing: "Sharing") -> list[str]:
    """Return the names of the project of a clone; its first commits are looked for once, which reads its history."""
    sharing.roots = sharing.roots or _roots(root)
    place = hashlib.sha256(remotes.place(root, sharing.remote).encode("utf-8", "surrogateescape")).hexdigest()
    return sorted([*sharing.roots, f"remote:{place}"])


def _roots(root: str) -> list[str]:
    """Return the first commits of the history of HEAD, [] in a shallow clone or before the first commit."""
    if run(root, "rev-parse", "--is-shallow-repository")[1].strip() != "false":
        return []
    code, output, _ = run(root, "rev-list", "--max-parents=0", "HEAD", timeout=LONG_TIMEOUT)
    return output.split()[:_MOST] if code == 0 else []


STATE, HANDOVER = "state.md", "handover.md"
LARGEST_SUMMARY, LARGEST_TEXT = 1 << 17, 1 << 18  # bytes
_DAYS_SHARED = 90 * 86_400.0  # seconds since a session was active
_DAYS_MEASURED = 7 * 86_400.0  # the same, for what git says of its files
_OWN = ("", "")  # the work that a session began itself
_NAMED = 3  # files in a title
_FILES, _LIST, _TEXT, _PATH = 500, 50, 200, 400


def month_of(session: "Recorded") -> str:
    """Return the month in which a session started, UTC, such as 2026-11: the folder that it is in for good."""
    return time.strftime("%Y-%m", time.gmtime(session.started or session.last_active))


def content_of(survey: "Survey") -> "dict[tuple[str, str], Texts]":
    """Return what is shared: month and id of a session -> its texts. OSError if `.holdfastignore` cannot be read."""
    is_ignored = ignored.reader(survey.root)
    now = survey.workspace.now
    shared = status.load(survey.workspace.project.store)
    works = {path: (ident, shared.bases.get(ident, "")) for ident, path in shared.states.items()} if shared else {}
    chosen = [one for one in survey.sessions if _is_shared(one, now)]
    handed = [one for one in survey.sessions if paused_work.is_handed_over(one) and one.state not in survey.untrusted]
    return {
        (month_of(one), one.id): _texts(one, survey, handed, is_ignored, works.get(one.state, _OWN)) for one in chosen
    }


def _is_shared(session: "Session", now: float) -> bool:
    known = session.journaled and not session.passed_on and session.worked
    return known and now - session.last_active < _DAYS_SHARED


def _texts(
    session: "Session", survey: "Survey", handed: "list[Session]", is_ignored: "Patterns", work: "tuple[str, str]"
) -> "Texts":
    """Return the texts of one session; `work` is the session that began it, and the blob from which it goes on here."""
    kept_back = [path for path in session.files if is_ignored(path)]
    state = session.state if session.state and session.state not in survey.untrusted else ""
    name = os.path.relpath(state, _root(survey.workspace, state)) if state else ""
    if not name or name.startswith("..") or is_ignored(name):
        state = name = ""
    contents: Texts = {}
    hidden = ignored.hider(is_ignored, survey.root, kept_back)
    row = _summary(session, survey.workspace, name, is_ignored, hidden)
    row |= {"continues": work[0] if work[0] != session.id else "", "base": work[1]}
    contents[status.SUMMARY] = fast_json.dumps(row).encode() + b"\n"
    if state:
        contents |= _text(STATE, state, hidden)
        of_it = [one for one in handed if name in paused_work.states([one])]
        for one in of_it[:1]:
            contents |= {} if is_ignored(one.state_name) else _text(HANDOVER, one.state, hidden)
    return contents


def _root(workspace: "Workspace", path: str) -> str:
    """Return the folder that the path of a state file is given from: the private one or the working tree."""
    private = workspace.project.private
    if private and path.startswith(private + "/"):
        return private
    return workspace.project.root if path.startswith(workspace.project.root + "/") else _tree_of(path)


def _tree_of(path: str) -> str:
    from holdfast.project import paths

    return paths.locate(os.path.dirname(path)).root


def _text(name: str, path: str, hidden: "Hidden") -> "Texts":
    """Return a file without secrets and ignored paths, {} for one that is too large or gone."""
    try:
        text = files.read(path, LARGEST_TEXT).decode("utf-8", "replace")
    except OSError:
        return {}
    data = hidden(safe.safe(text)).encode()
    return {name: data} if len(data) <= LARGEST_TEXT else {}


def _summary(
    session: "Session", workspace: "Workspace", state: str, is_ignored: "Patterns", hidden: "Hidden"
) -> "dict[str, object]":
    """Return the summary of a session, as `list` shows it, as a JSON object."""

    def line(text: str) -> str:
        return safe.line(hidden(text), _TEXT)  # an ignored path that was cut would not be recognised

    summary = session.summary if state else {}
    changed = {path: session.files[path] for path in session.inside()[:_FILES] if not is_ignored(path)}
    return {
        "title": line(text_of(summary, "title") or _title(session)),
        "status": session.status,
        "state": state,
        "branch": line(session.branch),
        "commit": _latest_commit(session),
        "files": {safe.line(path, _PATH): round(at) for path, at in changed.items()},
        "uncommitted": [safe.line(path, _PATH) for path in _uncommitted(session, workspace, [*changed])],
        "tasks": listed.tasks(session),
        "unfinished": [line(one) for one in session.unfinished()[:_LIST]],
        "loops": [line(title) for title, status, _ in [*session.loops.values()][:_LIST] if status != "closed"],
        "children": [line(f"{one.type} {one.status}") for one in [*session.children.values()][:_LIST]],
        **{word: line(text_of(summary, word)) for word in rows.TEXTS},
        **{word: [line(one) for one in texts_of(summary, word)[:_LIST]] for word in rows.LISTS},
        "stopped": line(session.talk.answer) if state else "",
        "started": round(session.started),
        "heard": round(session.last_active),
        "ended": round(session.ended),
        "live": session.live,
    }


def _title(session: "Session") -> str:
    """Return the title of a session whose state file has none: what it changed, as the user's words stay here."""
    names = ", ".join(os.path.basename(path) for path in session.inside()[:_NAMED])
    return f"Work on {names or session.branch or 'this project'}"


def _latest_commit(session: "Session") -> str:
    """Return the commit that was checked out when the session was last active, "" if that is unknown."""
    tree = session.worktree or session.root
    return queries.head_at(tree, session.last_active) if tree and os.path.isdir(tree) else ""


def _uncommitted(session: "Session", workspace: "Workspace", changed: list[str]) -> list[str]:
    """Return those of the files that are not committed, while the session is young enough to be continued."""
    tree = session.worktree or session.root
    if not changed or not os.path.isdir(tree) or workspace.now - session.last_active > _DAYS_MEASURED:
        return []
    return (queries.uncommitted(tree, changed) or [])[:_LIST]
