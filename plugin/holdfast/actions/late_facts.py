"""Journal what no event brings: commits, refused plans, runs of tests, what was taken back, and reasons of edits."""

import os
import re
import time
from collections.abc import Iterator

from holdfast.core import clock, fast_json, files, process
from holdfast.core.fast_json import number_of, text_of
from holdfast.core.patterns import pattern
from holdfast.git import commits, own_commits
from holdfast.journal import checkouts, file_touches, given_up, log, telling, transcript
from holdfast.project import paths
from holdfast.sessions.session import Session
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe

Object = dict[str, object]

_REASON = "said:\n"  # precedes the reason of the user in the result of a tool that was refused
_TITLE = 80  # characters
_LONGEST = 500  # characters of a reason
_WHY = 400  # characters of what was said before an edit
_EDITS = frozenset(["Edit", "MultiEdit", "NotebookEdit", "Write"])
_MOST = 20  # commits that one settle journals, the latest
_PATHS, _PATH, _SUBJECT = 30, 200, 200  # paths of a commit, characters of a path and of a subject
# Of commands only the shape counts, never the meaning for the work; hooks see no result of a shell.
_SEARCHED = 1 << 20  # bytes at the end of a transcript
_COMMAND, _RESULT = 160, 120  # characters of each that are kept
_START = r"(?:^|&&|;|\|\||\bdo\s|\n)\s*(?:\w+=\S*\s+)*(?:(?:uv|poetry|pdm|hatch) run |npx |bunx |nice |time |sudo )*"
_TESTS = pattern(
    _START + r"(?:\S*/)?(?:pytest|tox|nox|jest|vitest|ctest|rspec|phpunit|"
    r"python3?(?: -\S+)* -m (?:pytest|unittest)|"
    r"(?:npm|pnpm|yarn|bun|deno|cargo|go|dotnet|swift|mix|rake|mvn|\./mvnw|gradle|\./gradlew|make|just)"
    r"(?: run| -\S+)* (?:test|tests|check|verify|nextest)(?::\S+)?)(?=$|[\s;&|])"
)
_UNDONE = pattern(
    _START + r"git(?: -C \S+)? (?:revert\b|reset --hard\b|restore(?! --staged)\b|"
    r"checkout (?:(?:HEAD\S*|\w{7,40}) )?(?:--|\.)(?=\s|$))"
)
_OUTCOME = pattern(
    r"\b\d+ (?:tests? )?(?:passed|failed|failing|passing|errors?)\b|"
    r"^(?:ok|OK|FAILED|FAIL|PASS)\b|\btest result:|^Tests:",
    re.MULTILINE,
)
# What runners say that ran no test, and what one says of those that it ran.
_NONE = pattern(
    r"^Ran 0 tests\b|\bno tests? (?:ran|found|files?|to run|were (?:found|executed))\b|\[no tests? (?:files|to run)\]|"
    r"\b(?:0 pass(?:ed|ing)|running 0 tests)\b|^(?:0 examples|Tests(?: run)?:\s+0\b)|^# tests 0$",
    re.IGNORECASE,
)
_SOME = pattern(
    r"\b[1-9]\d* (?:tests? )?(?:passed|failed|failing|passing|errors?|examples)\b|^Ran [1-9]|"
    r"^(?:ok|FAIL|PASS)\b(?!.*\[no tests)|^---? (?:FAIL|PASS)|\b(?:FAILED|Tests run: [1-9])",
)


def note(workspace: Workspace, ident: str) -> None:
    """Journal them; OSError when the journal cannot be written."""
    session = workspace.recorded(ident)
    pid, before, since = session.process.unended
    if before and since not in session.process.crashes and not process.alive(pid, before):
        note_crash(workspace, session, since)
    given = safe.line(transcript.title(session.transcript, by_person=True), _TITLE)
    if given and given not in {session.title, session.file.title, session.file.given}:
        log.append(workspace.project.store, ident, {"kind": "named", "title": given, "by": "person"})
    _note_refused(workspace, session)
    _note_commits(workspace, session)
    _note_runs(workspace, session)


def note_crash(workspace: Workspace, session: Session, since: float) -> None:
    """Journal that a process of a session was gone without an end, and when it did something last."""
    log.append(workspace.project.store, session.id, {"kind": "crashed", "since": since})


def _note_runs(workspace: Workspace, session: Session) -> None:
    """Journal the runs of tests, and the edits that were taken back, which the journal does not have."""
    made = _late(session.transcript, session.started)[-_MOST:]
    known = {text_of(fact, "id") for fact in log.said(workspace.project.store, session.id)} if made else set[str]()
    for fact in made:
        if fact["id"] not in known:
            log.append(workspace.project.store, session.id, fact)


def _note_refused(workspace: Workspace, session: Session) -> None:
    """Journal that the user refused the plan that was shown last, with the reason: only the transcript has it."""
    ident, title = session.talk.proposed
    result = transcript.error_of(session.transcript, ident) if ident else ""
    if result:
        _, _, reason = result.partition(_REASON)
        fact = {"kind": "refused", "id": ident, "text": title, "note": safe.line(reason, _LONGEST)}
        log.append(workspace.project.store, session.id, fact)


def _note_commits(workspace: Workspace, session: Session) -> None:
    """Journal the commits since the last one that the journal has."""
    tree = paths.locate(session.worktree) if session.worktree else workspace.project
    if not tree.git or not session.started:
        return
    made = own_commits.since(tree.git, max([session.started, *session.commits.values()]) - 1)
    new = [one for one in made if one.name not in session.commits][:_MOST]
    times = {one.name: one.at for one in new}
    runs = not session.process.identity or process.alive(session.process.pid, session.process.identity)
    end = session.ended or (time.time() if runs else session.last_active)  # later than a crash others commit
    alone = bool(new) and not any(
        process.alive(one.process.pid, one.process.identity)
        for one in map(workspace.recorded, checkouts.in_tree(workspace.project.store, tree.root))
        if one.id != session.id
    )
    for commit in reversed(commits.named(tree.root, list(times)) if new else []):
        made_at = times[commit.name]
        meanwhile = alone and session.process.ran <= made_at <= end
        if _is_own(workspace, session, commit, meanwhile=meanwhile):
            log.append(workspace.project.store, session.id, _fact(commit, made_at))


def _fact(commit: commits.Commit, made: float) -> dict[str, object]:
    named = [safe.line(path, _PATH) for path in commit.files[:_PATHS]]
    subject = safe.line(commit.subject, _SUBJECT)
    return {"kind": "commit", "id": commit.name, "subject": subject, "made": made, "paths": named}


def _is_own(workspace: Workspace, session: Session, commit: commits.Commit, *, meanwhile: bool) -> bool:
    """Whether a commit is about this session's work: not when other sessions alone changed its files.

    Where it is not recorded who changed its files, it counts if it was made `meanwhile`, between the client's last
    start and its end while no other session was in the tree, or has only files of the session, as one that the user
    makes later. Git counts whole seconds; one that was made in the second of the start has a file of the session.
    """
    only_own = bool(commit.files) and session.files.keys() | {session.claimed_name} >= {*commit.files}
    actors = {touch.session for path in commit.files for touch in file_touches.lines(workspace.project.store, path)}
    return session.id in actors or (not actors and (meanwhile or only_own))


def _late(path: str, since: float) -> "list[Object]":
    """Return the facts about runs and attempts in a transcript after `since` (seconds since 1970), in order."""
    try:
        data = files.tail(path, _SEARCHED) if os.path.isfile(path) else b""
    except (OSError, ValueError):
        return []
    lines = data.splitlines()
    results = {ident: block for line in lines for ident, block in _results(line)}
    facts = [fact for line in lines if b'"Bash"' in line for fact in _runs(fast_json.object_in(line), results)]
    talk = [fast_json.object_in(line) for line in lines if b'"tool_result"' not in line and b'"content"' in line]
    talk = [line for line in talk if line.get("isSidechain") is not True]
    facts += [*_reasons(talk), *(fact for line in talk for fact in _remarks(line))]
    return [fact for fact in facts if number_of(fact, "made") >= since and text_of(fact, "text")]


def _runs(line: "Object", results: "dict[str, Object]") -> "Iterator[Object]":
    """Yield the facts about the uses of the shell in a line of the main conversation."""
    at = clock.read(text_of(line, "timestamp"))
    for block in _blocks(line) if line.get("isSidechain") is not True else ():
        ident, given = text_of(block, "id"), block.get("input")
        command = text_of(given, "command") if isinstance(given, dict) and block.get("name") == "Bash" else ""
        result = results.get(ident)
        tests, undone = _TESTS.search(command), _UNDONE.search(command)
        if result is not None and tests:
            text = _telling(command, tests.start())
            yield {"kind": "ran", "id": ident, "text": text, "note": _outcome(result), "made": at}
        elif result is not None and undone and result.get("is_error") is not True:
            yield {"kind": "undone", "id": ident, "text": _telling(command, undone.start()), "made": at}


def _reasons(talk: "list[Object]") -> "Iterator[Object]":
    """Yield the facts about what Claude says in each turn before its edits, one for the last edit of each."""
    said: str = ""
    fact: Object = {}
    end: Object = {"type": "user"}
    for line in [*talk, end]:
        if text_of(line, "type") == "user":
            yield from [fact] if fact else []
            said, fact = "", {}
        for block in _blocks(line) if text_of(line, "type") == "assistant" else ():
            said += f"\n{text_of(block, 'text')}"
            if text_of(block, "name") in _EDITS:
                why = safe.safe(telling.of_answer(said, _WHY))
                fact = {"kind": "reason", "id": text_of(block, "id"), "text": why, "made": _made(line)}


def _remarks(line: "Object") -> "Iterator[Object]":
    """Yield the facts about what Claude says, in a line of the main conversation, that it gave up."""
    for block in _blocks(line) if text_of(line, "type") == "assistant" else ():
        text = text_of(block, "text") if block.get("type") == "text" else ""
        if told := given_up.told(text):
            yield {"kind": "remark", "id": text_of(line, "uuid"), "text": safe.safe(told), "made": _made(line)}


def _made(line: "Object") -> float:
    return clock.read(text_of(line, "timestamp"))


def _telling(command: str, start: int) -> str:
    """Return the one command that begins there in a command line, without secrets."""
    rest = command[start:].lstrip("&;| \n")
    return safe.line(re.split(r"\s*(?:\||&&|;|\n|2?>)", rest, maxsplit=1)[0], _COMMAND)


def _outcome(result: "Object") -> str:
    """Return the last line of a result that counts tests, that none ran, else whether the command failed."""
    lines = [line.strip(" =\t") for line in transcript.result_text(result.get("content")).splitlines()]
    if any(map(_NONE.search, lines)) and not any(map(_SOME.search, lines)):
        return "no test ran"
    counted = next((line for line in reversed(lines) if _OUTCOME.search(line)), "")
    return safe.line(counted, _RESULT) or ("failed" if result.get("is_error") is True else "")


def _results(line: bytes) -> "Iterator[tuple[str, Object]]":
    for block in _blocks(fast_json.object_in(line)) if b'"tool_result"' in line else ():
        if ident := text_of(block, "tool_use_id"):
            yield ident, block


def _blocks(line: "Object") -> "list[Object]":
    message = line.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
