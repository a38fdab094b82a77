"""Change a state file as a person or Claude requests: under the lock, stamped, staged, each change reported."""

import difflib
import io
import json
import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from holdfast.actions import adoption
from holdfast.actions.state_parts import commanded, given_status, prose, turned
from holdfast.clients import catalogue
from holdfast.context.drift.item import NOTED
from holdfast.core import clock, files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import text_of
from holdfast.editing import agent_rows, log_entries, own_words, store, values
from holdfast.editing.edit import STAMPED, Change, Editor, Outcome
from holdfast.editing.requests import flatten
from holdfast.formats import agents, managed_block
from holdfast.formats.catalogue import Formats
from holdfast.formats.state_file import parse, summary
from holdfast.journal import log, shells
from holdfast.markdown.document import splices
from holdfast.memory import budget, refresh, view
from holdfast.memory.measured import tokens
from holdfast.memory.view import BUDGET, View
from holdfast.project import paths
from holdfast.project.paths import Project
from holdfast.project.settings import Settings
from holdfast.sessions import ledger
from holdfast.sessions.candidates import Hit
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe
from holdfast.trust.safe import mask, writable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hub.entry import Entry

_STDIN = 0
_WHY = dict.fromkeys(("why", "reason", "because"), "rationale")
EXAMPLE = """'{"Current State": "…", "Next Steps": ["…"]}'"""


@dataclass(slots=True)
class Synced:
    """The result of a sync: the outcome of the edits, whether it was written, why it was not staged ("" if it was)."""

    before: bytes
    outcome: Outcome
    notes: list[str]  # what else the caller should know about the file
    written: bool = False
    unstaged: str = ""
    used: list[str] = field(default_factory=list)  # how to get back the hand-overs of work that goes on or is over


def read_requests(source: str) -> dict[str, object]:
    """Return the object in a JSON text, in the file after an @, or on standard input for a dash."""
    text, where = source, "--json"
    try:
        if source == "-":
            where = "standard input"
            text = files.read_all(_STDIN).decode("utf-8-sig")
        elif source.startswith("@"):
            where = source[1:]
            with open(where, "rb") as file:  # may be a link or a pipe
                text = file.read().decode("utf-8-sig")
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_refused)
    except OSError as error:
        raise HoldfastError(
            f"{where}: {error.strerror}. Give --json the object itself, or @ and a file's path."
        ) from None
    except UnicodeDecodeError:
        raise HoldfastError(f"{where} is not UTF-8. Give one JSON object such as {EXAMPLE}") from None
    except (ValueError, RecursionError) as error:
        raise HoldfastError(f"{where} is not JSON: {error}. Give one object such as {EXAMPLE}") from None
    if not isinstance(value, dict):
        raise HoldfastError(f"{where} is not a JSON object. Give one such as {EXAMPLE}")
    return {key: _masked(_listed(each)) for key, each in value.items()}


def _masked(value: object) -> object:
    """Return a requested value without secrets: text from a conversation would be committed with the file."""
    if isinstance(value, dict):
        return {writable(key): _masked(_listed(each)) for key, each in value.items()}
    if isinstance(value, list):
        return [_masked(_decision(each)) for each in value]
    return mask(writable(value)) if isinstance(value, str) else value


def _listed(value: object) -> object:
    """Return a decision that is given alone, as an object, in a list, any other value as it is."""
    return [value] if isinstance(_decision(value), str) and not isinstance(value, str) else value


def _decision(value: object) -> object:
    """Return a decision that is given as an object as one text with all that it says, any other value as it is."""
    if not isinstance(value, dict):
        return value
    texts = {key.casefold(): each for key, each in value.items() if isinstance(each, str) and each.strip()}
    words = {_WHY.get(key, key): each for key, each in texts.items()}
    whole = len(words) == sum(each not in (None, "") for each in value.values())  # no key means the same as another
    return values.decision(words) if whole and "decision" in words else value


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return the pairs as an object. ValueError for a repeated key: JSON would drop one value without a message."""
    members = dict(pairs)
    if len(members) < len(pairs):
        twice = next(key for number, (key, _) in enumerate(pairs) if key in dict(pairs[:number]))
        raise ValueError(f"the key {twice!r} appears twice in one object")
    return members


def _refused(word: str) -> object:  # NaN and the infinities
    raise ValueError(f"{word} is no value")


def require_own_shell(project: Project, hit: Hit | None = None) -> None:
    """Raise HoldfastError where a subagent, or perhaps one, runs a command on the work of its session.

    Without a `hit` the command is on the session itself, such as one that takes other work up in it.
    """
    workspace = Workspace(project)
    own = catalogue.own_session(os.environ) or (own_shell(workspace, hit.session.id) if hit else "")
    meant = hit is None or own in {hit.session.id, hit.ident}
    agent = caller(workspace, own) if own and meant else ""
    if agent:
        raise HoldfastError(
            f"this is the shell of the subagent {agent}, and only its session {own} changes its own state. "
            f"Say it in your answer, or type: holdfast update action=… session_id={agent}"
        )


def own_shell(workspace: Workspace, ident: str) -> str:
    """Return the id of a session in whose shell this process may have begun, as its subagent or not, else ""."""
    session = workspace.session(ident) if ident else None
    is_of = session and (
        shells.is_below(session.process.identity)
        or (session.live and session.children and not (os.environ.get(catalogue.MCP) or shells.is_persons(ident)))
    )
    return ident if is_of else ""


def caller(workspace: Workspace, own: str) -> str:
    """Return the subagent of the own session that runs this command, "" for the session itself.

    Where that is not clear: HoldfastError.
    """
    session, types = workspace.session(own), running(workspace, own)
    client, children = (session.process.identity, session.children) if session else ("", {})
    try:
        return shells.caller(workspace.project.store, own, client, {one: one in types for one in children})
    except shells.UnclearError as error:
        who = ", ".join(
            [f"{own} (the session)", *(f"{one} ({types.get(one, 'ended')})" for one in error.agents if one)]
        )
        raise HoldfastError(
            f"it is not clear who runs this, the session or one of its subagents. Type {shells.VARIABLE}=ID before "
            f"the command, with one of the ids: {who}"
        ) from None


def running(workspace: Workspace, own: str) -> dict[str, str]:
    """Return the subagents of a session that run now, with their types."""
    session = workspace.session(own)
    return {child.id: child.type for child in session.children.values() if child.status == "running"} if session else {}


def sync(project: Project, hit: Hit, requested: dict[str, object], formats: Formats, settings: Settings) -> Synced:
    """Write the requested changes into a state file; report those that have no place there, and write the rest."""
    require_own_shell(project, hit)
    with store.writing(project):
        done = made(project, hit, lambda data: _outcome(data, hit, requested, formats, time.time()), formats, settings)
        if done.written and _describes_work(done.outcome, requested):
            _note(project, hit)
        status = given_status(parse(done.before, hit.path, formats), done.outcome.state, requested)
        if status and hit.session.journaled and not (hit.entry or hit.session.shared):
            log.choose(project.store, hit.session.id, status, "", hit.path)
    return done


def made(
    project: Project, hit: Hit, change: Callable[[bytes], Outcome], formats: Formats, settings: Settings
) -> Synced:
    """Apply a change to a state file's bytes, stamp it and stage it; the caller holds the lock."""
    done: list[Synced] = []

    def changed(data: bytes) -> bytes:
        if not hit.entry:
            ledger.go_on(hit.path, clock.find(managed_block.stamped(parse(data, hit.path, formats))[1]))
        done.append(_stamped(data, change(data), formats, time.time()))
        return done[-1].outcome.data

    written = store.update(hit.path, changed)
    done[-1].written = written
    # Even if nothing was written: a command that was cut off may have got no further than the file.
    done[-1].unstaged = adoption.stage(project, "", hit.path, settings)
    return done[-1]


def preview(hit: Hit, requested: dict[str, object], formats: Formats) -> Synced:
    """Return the result that a sync would have, without writing."""
    return _stamped(before := hit.read(), _outcome(before, hit, requested, formats, time.time()), formats, time.time())


def diff(before: bytes, after: bytes, name: str) -> bytes:
    """Return a change as a unified diff that git applies, b"" where nothing changes."""
    old, new = (io.BytesIO(data).readlines() for data in (before, after))
    lines = difflib.diff_bytes(difflib.unified_diff, old, new, os.fsencode(f"a/{name}"), os.fsencode(f"b/{name}"))
    return b"".join(line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n" for line in lines)


def _outcome(data: bytes, hit: Hit, requested: dict[str, object], formats: Formats, now: float) -> Outcome:
    """Return the outcome of the requested changes; the stack and the actions follow a new task or phase."""
    editor = Editor(hit.place, formats, clock.write(now, clock.MINUTE), hit.entry)
    if hit.entry:
        return editor.apply(data, requested)
    keys = [request.keys[-1] for request in flatten(requested) if request.keys]
    state = parse(data, hit.place, formats)
    record = state.record
    requested, agents = agent_rows.apart(_with_budget(requested, view.of(state, formats)))
    done = editor.apply(own_words.released(record, keys), requested)
    if done.unplaced:  # keep holdfast's words where nothing replaces them
        done = editor.apply(data, requested)
    else:
        texts = [change.old or own_words.text(record, change.where) for change in done.changes]
        done.changes = [replace(change, old=old) for change, old in zip(done.changes, texts, strict=True)]
    agent_rows.listed(editor, done, agents)
    decided = [
        f"Decision: {text}"
        for change in done.changes
        if change.where.partition(".")[0].casefold() == "decisions"
        for text in change.new.split("; ")
    ]
    done.state = parse(splices(done.data, commanded(done.state.record, decided, now)), hit.place, formats)
    status = text_of(summary(done.state), "category")
    if status != text_of(summary(state), "category"):
        done.state = parse(splices(done.data, turned(done.state.record, status, now)), hit.place, formats)
    after = refresh.followed(data, done, formats, now)
    for change in editor.apply(after.data, requested).changes[:1]:
        raise HoldfastError(f"{change.where} would say {change.old!r}, not {change.new!r}. Nothing was written.")
    return after


_SHARE = re.compile(
    r"(?:(?P<used>\d[\d,.]*k?)\s*/\s*(?P<window>\d[\d,.]*k?)(?:\s*tokens)?)?\s*(?:\(?(?P<percent>\d+)\s*%\)?)?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(\d[\d,.]*k?)(?:\s*%|\s*tokens)?", re.IGNORECASE)
_BUDGETS = frozenset(("budget", "token budget", "token budget snapshot"))
_WHOLE = frozenset(("status", "used / total tokens", "tokens"))
_PARTS = {"used": "used", "total": "window", "percentage": "percent", "percent": "percent"}


def _with_budget(requested: dict[str, object], view: View) -> dict[str, object]:
    """Return requests in which the numbers of a token budget are the one line that the format has for them.

    They may be in parts, such as `{"Used": 2100}`, or short: `{"Budget": "2100/5000 (42%)"}`. HoldfastError when they
    contradict each other.
    """
    name = next((key for key in requested if key.casefold() in _BUDGETS), "")
    given, numbers = requested.get(name), dict[str, int]()
    given = given[0] if isinstance(given, list) and len(given) == 1 else given
    fields: dict[str, object] = {**given} if isinstance(given, dict) else {"Status": given}
    for key, value in [*fields.items()] if name and BUDGET in view.there else ():
        _require_zone(view, str(value))
        found = _numbers(key.casefold(), str(value))
        numbers |= found
        if found:
            del fields[key]
        elif key.casefold() in _WHOLE and not refresh.BUDGET_LINE.match(str(value)):
            raise HoldfastError(f'{BUDGET}.{key}: {value!r} names no tokens. Give, for example: "2100 / 5000 tokens"')
    others = {key: value for key, value in requested.items() if key != name}
    if not numbers:
        return {**others, BUDGET: fields} if isinstance(given, str) and BUDGET in view.there else requested
    written = refresh.written_budget(view)
    known = {key: int(written[key].replace(",", "")) for key in ("used", "window")} if written else {}
    window, percent = {**known, **numbers}.get("window", 0), numbers.get("percent")
    if not window:
        raise HoldfastError(f'{BUDGET}: how many tokens are there in all? Give, for example: "2100 / 5000 tokens"')
    used = numbers.get("used", known.get("used", 0) if percent is None else window * percent // 100)
    if percent not in {None, used * 100 // window, round(used * 100 / window)}:
        raise HoldfastError(f"{BUDGET}: {used} of {window} tokens are {used * 100 // window}%, not {percent}%")
    return {**others, BUDGET: {"Status": budget.status(refresh.of_numbers(view, used, window)), **fields}}


def _require_zone(view: View, text: str) -> None:
    """Refuse a status of a budget that names another zone than that of its tokens."""
    line = refresh.BUDGET_LINE.match(text)
    used, window = (tokens(line[name]) for name in ("used", "window")) if line else (0, 0)
    status = budget.status(refresh.of_numbers(view, used, window)) if window else ""
    if line and line["zone"] and line["zone"].casefold() not in status:
        raise HoldfastError(f"{BUDGET}: {used} of {window} tokens are in the zone {status.rpartition(' ')[2]}")


def _numbers(name: str, text: str) -> dict[str, int]:
    """Return the numbers in a field of a budget: used, window, percent; {} where it is no such field, or is whole."""
    one = _NUMBER.fullmatch(text.strip()) if name in _PARTS else None
    match = _SHARE.fullmatch(text.strip()) if name in _WHOLE and not refresh.BUDGET_LINE.match(text) else None
    texts = {_PARTS[name]: one[1]} if one else match.groupdict("") if match else {}
    return {key: tokens(digits) for key, digits in texts.items() if digits}


def _stamped(before: bytes, outcome: Outcome, formats: Formats, now: float) -> Synced:
    """Return the result of edits, with the time of the change where the file's format has one."""
    notes = [f"line {line}: {why}; put that right by hand" for line, _, why in outcome.state.broken()]
    if outcome.data != before:
        notes += _stamp(outcome, formats, now)
    return Synced(before, outcome, notes)


def _stamp(outcome: Outcome, formats: Formats, now: float) -> list[str]:
    """Set the time of the change; return why an existing time is kept, [] if it is set or the edits set it."""
    line, old = managed_block.stamped(outcome.state)
    data = managed_block.stamp(outcome.state, now)
    if data != outcome.data:
        outcome.state = parse(data, outcome.state.path, formats)
        _, new = managed_block.stamped(outcome.state)
        outcome.changes.append(Change(STAMPED, old, new, line))
        return []
    live = old.startswith("!")  # a directive that the reader's client runs
    known = live or clock.form(old) or not old or any(change.line == line for change in outcome.changes)
    return [] if known else [f"line {line}: the time {old!r} is left as it is: its time zone is unknown"]


def _describes_work(outcome: Outcome, requested: dict[str, object]) -> bool:
    """Whether any change describes the work: text of a section, or items that are not holdfast's own.

    A field, such as a status or a focus, says little about what was done.
    """
    changed = {change.where.partition(" (frontmatter ")[0] for change in outcome.changes}
    for request in flatten(requested):
        own = [item for item in request.items or [] if not item.startswith(NOTED)]
        section = bool(request.text) and bool(outcome.state.record.sections(request.keys[-1]))
        if request.where in changed and (own or section):
            return True
    return False


def _note(project: Project, hit: Hit) -> None:
    """Journal that this session updated its own state file."""
    own = catalogue.own_session(os.environ)
    if own and own == hit.session.id and project.store:
        home = paths.locate(os.path.dirname(hit.path))
        fact: dict[str, object] = {"kind": "state", "path": home.relative(hit.path), "root": home.root, "by": "sync"}
        log.append(project.store, own, fact)


_STATUS = {"active": agents.RUNNING, "completed": agents.COMPLETED}


def list_workflow(workspace: Workspace, entry: "Entry | None", context: str, changed: list[str]) -> list[str]:
    """List a workflow in the state file of its parent; add that file's name to `changed`, and return what hinders.

    Subagents are not listed here: a settle lists what was measured of them.
    """
    above = next(iter(entry.links("Parent")), None) if entry else None
    session = workspace.session(above.ident) if above else None
    if not entry or not session or not session.state or session.shared or entry.ident in session.children:
        return []
    summary = safe.line(context, agents.LONGEST) if entry.category == "completed" else ""
    row = {
        "agent": entry.text("Agent"),
        "task": safe.line(entry.text("Purpose"), agents.LONGEST),
        "status": _STATUS.get(entry.category, agents.PENDING),
        "summary": summary.removeprefix("outcome:").strip(),
    }
    editor = Editor(session.state, workspace.formats, clock.write(workspace.now, clock.MINUTE))

    def change(data: bytes) -> Outcome:
        done = agent_rows.listed(editor, editor.make(data, []), [row])
        if done.changes and entry.category == "completed":
            text = prose(": ".join(filter(None, [row["task"], row["summary"]])))
            logged = log_entries.splices(done.state.record, [(workspace.now, f"{row['agent']} finished", text)])
            done.state = parse(splices(done.data, logged), session.state, workspace.formats)
        return done

    try:
        done = made(workspace.project, Hit(session), change, workspace.formats, workspace.settings)
    except (HoldfastError, OSError) as error:
        return [f"{session.state_name} was left as it is: {error}"]
    changed += [session.state_name] if done.written else []
    return [done.unstaged] if done.unstaged else []
