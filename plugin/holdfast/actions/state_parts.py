"""What a settle measures for single parts of a state file: task, agents, plan, where it is, and the log."""

import zlib

from holdfast.clients import catalogue
from holdfast.context.short_lists import listed
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import text_of
from holdfast.editing import lists, log_entries, own_words
from holdfast.editing.log_entries import Entry
from holdfast.editing.requests import flatten
from holdfast.formats import agents
from holdfast.formats.catalogue import Formats
from holdfast.formats.record import Record
from holdfast.formats.state_file import StateFile, summary
from holdfast.git import queries
from holdfast.journal import asked, conversation, log, open_items, telling, transcript
from holdfast.journal import asked as requests
from holdfast.journal.conversation import Turn
from holdfast.journal.said import Said
from holdfast.journal.session import TASK_OVER, Child
from holdfast.markdown import metadata_edit
from holdfast.markdown.document import inline, outside_code
from holdfast.sessions.session import Session
from holdfast.trust import safe

Splice = tuple[int, int, bytes]

_LONGEST = 200  # characters of a task or a summary
_BEGINS = ("Added ", "Started ", "Forked ", "Began ")


def splices(
    state: "StateFile", session: Session, words: dict[str, list[str]], entries: "list[Entry]"
) -> "tuple[list[Splice], dict[str, str]]":
    """Return the splices that bring these parts up to date, and which subagents are listed and logged then.

    `words` are the lines for sections in which nobody else wrote, `entries` those of the log. Text by other authors
    stays.
    """
    if state.file_format is None or not state.file_format.measured:
        return [], {}
    found = [*_current_task(state, session), *own_words.splices(state.record, words)]
    listed, rows = _listed(state, session)
    logged, sums = log_entries.projected(state.record, entries, session.file.logged)
    new = [ident for ident in listed if ident not in session.file.children]
    pairs = " ".join(f"{key}={text}" for key, text in sums.items())
    return [*found, *rows, *logged], {"ids": " ".join(new), "logged": pairs}


def _current_task(state: "StateFile", session: Session) -> "list[Splice]":
    """Return the splice that sets the current task to the one in progress, where the old one is holdfast's own."""
    spots = [spot for spot in state.record.spots("focus") if spot.kind == "front"]
    shown = state.record.text(spots[0]) if len(spots) == 1 else ""
    known = {safe.line(subject, _LONGEST): status for subject, status, _ in session.tasks.values() if subject}
    title = state.metadata.text("session.title")
    own = {session.file.title, title, safe.line(asked.title(session.talk.request), 100)}
    if not shown or not (shown in known or shown in own or state.record.unfilled(shown)):
        return []
    doing = [(at, subject) for subject, status, at in session.tasks.values() if status == "in_progress" and subject]
    following = safe.line(max(doing)[1], _LONGEST) if doing else ""
    if not following and known.get(shown) in TASK_OVER:
        following = title
    splice = metadata_edit.edit(state.document, spots[0].path, following) if following else None
    return [splice] if splice else []


def _listed(state: "StateFile", session: Session) -> "tuple[list[str], list[Splice]]":
    """Return the ids of the subagents that the file lists afterwards, and the splices that list them."""
    placed, changes, new = agents.projected(agents.rows(state.metadata), session)
    added = [{key: value for key, value in row.items() if value} for row in new.values()]
    listed = [*placed, *new]
    try:
        return listed, metadata_edit.edit_rows(state.document, agents.PATH, changes, added) if changes or added else []
    except HoldfastError:  # written in a way that cannot be edited safely
        return [], []


def created(store: str, session: Session) -> list[str]:
    """Return the files of a session that are in no commit and that it wrote whole first, the latest of them last."""
    first: dict[str, str] = {}
    for fact in log.read(store, session.id):
        if fact["kind"] == "edit":
            first.setdefault(text_of(fact, "path"), text_of(fact, "tool"))
    paths = [path for path in session.inside() if first.get(path) == "Write" and path != session.state_name]
    states = queries.changes(session.state_root, paths) if paths and session.state_root else None
    return [safe.line(path, 300) for path in reversed(paths) if (states or {}).get(path, "")[:1] in {"?", "A"}]


def commanded(record: "Record", lines: "list[str]", now: float) -> "list[Splice]":
    """Return the splices that log what commands did, such as "Approved PLAN-001: Split it"; not what only begins."""
    done = [line.partition(": ") for line in lines if not line.startswith(_BEGINS)]
    return log_entries.splices(record, [(now, heading, prose(text, 300)) for heading, _, text in done if text])


TURNED = {
    "active": ("Session resumed", "The work goes on."),
    "waiting": ("Session waits", "The work waits for an answer."),
    "paused": ("Session paused", "The work stops for now."),
    "completed": ("Session closed", "The work is over."),
    "dropped": ("Session closed", "The work was given up."),
}


def turned(record: "Record", category: str, now: float, note: str = "") -> "list[Splice]":
    """Return the splices that log a change of status by hand, with a note about it."""
    heading, text = TURNED.get(category, ("", ""))
    return log_entries.splices(record, [(now, heading, prose(note, 300) if note else text)]) if heading else []


def given_status(before: "StateFile", after: "StateFile", requested: dict[str, object]) -> str:
    """Return the status that a request gives work, also where the file says it already; "" where it gives none."""
    now, category = text_of(summary(after), "category"), after.record.file_format.category
    asked = [request.text for request in flatten(requested) if request.keys[-1].casefold() == "status"]
    changed = now != text_of(summary(before), "category")
    return now if changed or now in map(category, asked) else ""


def evidence(said: "Said", *, whole: bool) -> str:
    """Return the latest commits and runs of tests that were measured, "" for none.

    That there are none is said where the session did the `whole` work.
    """
    runs = {text.partition(": ")[0]: text for _, text in said.ran}
    texts = {"Commits": [text for _, text in said.made][-_EVIDENCE:], "Tests": [*runs.values()][-_EVIDENCE:]}
    found = " ".join(f"{label}: {'; '.join(some)}." for label, some in texts.items() if some)
    return found or ("Neither a commit nor a test was measured." if whole else "")


_EVIDENCE = 3  # commits, commands that run tests
_HEADING, _TOLD, _SHORT = 60, 300, 200  # characters of a prompt that names a turn, of what was said in it
_LEAST = 30  # characters of an answer that says something
_NAMED, _CHANGED = 2, 4  # files in a heading, files that a crashed turn had changed
_OPENING = ("#", ">", "[", "+", "*", "|", "-")  # what would begin a heading, a quote, a box, a list or a table


def entries(session: Session, said: "Said", *, quotes: bool, short: bool) -> list[Entry]:
    """Return all entries in order; `quotes` says whether the user's own words may be there.

    In a file that is long they are `short`.
    """
    told = _SHORT if short else _TOLD
    deciding = {at for at, _ in said.corrections} | {one.at for one in said.decisions if one.question}
    made = [
        *(_turn(session, turn, deciding, told, quotes=quotes) for turn in said.turns if _matters(session, turn)),
        *(Entry(_commit(text), at, "Commit", prose(text), renewed=True, weight=1) for at, text in said.made),
        *(Entry(_key("tests", at), at, "Tests", prose(text), weight=1) for at, text in said.ran),
        *(Entry(_key("undone", at), at, "Edits taken back", prose(text)) for at, text in said.undone),
        # Where the user's words may be there, the next turn has a reply as its heading.
        *(
            Entry(_key("decided", at), at, "Decision", prose(text), weight=1)
            for at, text in ([] if quotes else _decisions(said))
        ),
        *(_child(session, child) for child in session.children.values() if child.type and child.status == "completed"),
        *_plan(session),
        *(Entry(_key("crashed", at), at, "Session crashed", _crash(session, at)) for at in session.process.crashes),
        *(Entry(_key("refused", at), at, "Plan refused", prose(title)) for at, title, _ in said.refused),
    ]
    return sorted({entry.key: entry for entry in made}.values(), key=lambda one: one.at)


def _commit(text: str) -> str:
    """Return the key of a commit, which it keeps when it is amended: a checksum of its subject."""
    return f"commit-{zlib.crc32(text.partition(' ')[2].encode()):08x}"


def _key(kind: str, at: float) -> str:
    return f"{kind}-{at * 1000:.0f}"


def prose(text: str, longest: int = _LONGEST) -> str:
    """Return words of a conversation as one line of plain Markdown, without labels, tags and links of their own."""
    words = safe.line(inline(text), longest).replace("**", "")
    words = outside_code(words, lambda part: part.replace("__", "\\_\\_").replace("<", "\\<"))
    return f"\\{words}" if words.startswith(_OPENING) else words


def _matters(session: Session, turn: "Turn") -> bool:
    """Whether a turn has an entry: its answer says something, or it changed files."""
    return len(turn.answer) >= _LEAST or bool(turn.answer and _changed_in(session, turn))


def _changed_in(session: Session, turn: "Turn") -> list[str]:
    return [path for path, at in session.files.items() if turn.at <= at <= turn.answered and path[:1] != "/"]


def _turn(session: Session, turn: "Turn", deciding: set[float], told: int, *, quotes: bool) -> Entry:
    """Return the entry about a turn: what was asked or changed, and the telling sentences of the answer.

    One counts more in which files were changed, or whose prompt is among those that are `deciding`.
    """
    who = catalogue.of(session.client).SHORT
    changed = _changed_in(session, turn)
    did = f"{who} changed {listed(changed, _NAMED)}" if changed else f"{who} answered"
    asked = prose(conversation.clipped(requests.title(turn.prompt), _HEADING)) if quotes else ""
    answer = open_items.without_uncommitted(turn.answer) or turn.answer  # the log may come with a commit
    text = prose(telling.of_turn(Turn(turn.at, turn.prompt, turn.answered, answer, turn.why), told - 5), told)
    label = f'"{asked}"' if asked else ""
    return Entry(
        _key("turn", turn.at),
        turn.answered,
        asked or did,
        text,
        label=label,
        weight=2 if changed else int(turn.at in deciding),
    )


def _decisions(said: "Said") -> list[tuple[float, str]]:
    """Return time and text of each decision with a bare reply that is no plan, which has an entry of its own."""
    kept = [one for one in said.decisions if not one.candid and one.at != said.summed_up]
    return [(one.at, one.told) for one in kept if one.question]


def _child(session: Session, child: Child) -> Entry:
    """Return the entry about a subagent that has ended."""
    task, answer = transcript.description(session, child), child.answer
    report = " ".join(conversation.sentences(answer))
    text = ": ".join(prose(text) for text in (task, report) if text) or "It gave no answer."
    return Entry(child.key, child.last_active, f"{safe.line(child.type, 64)} finished", text, weight=1)


def _crash(session: Session, at: float) -> str:
    """Return what a process of a session had changed after the latest answer before it was gone."""
    changed = session.changed_in_turn(at)
    named = f"; changed in its last turn: {listed(changed, _CHANGED)}" if changed else ""
    return prose(f"Its process was gone without an end{named}.")


def _plan(session: Session) -> list[Entry]:
    """Return the entry about the plan that the user accepted last."""
    title, path, accepted = session.plan
    text = ": ".join(prose(text) for text in (title, path) if text)
    return [Entry(_key("plan", accepted), accepted, "Plan accepted", text)] if accepted else []


def with_tasks(state: "StateFile", formats: "Formats", session: Session, shown: set[str]) -> "StateFile":
    """Return a file with the client's tasks as next and as done, in a format that lists created files."""
    if not session.tasks or not lists.lists_created(state.record):
        return state
    from holdfast.memory import sections  # few sessions have tasks

    return sections.with_tasks(state, formats, tasks(session), shown)


def tasks(session: Session) -> list[tuple[str, str]]:
    """Return (subject, status) of the session's tasks; of several with one subject the unfinished one counts."""
    known = [(safe.line(subject, 200), status) for subject, status, _ in session.tasks.values() if subject]
    unfinished = {safe.line(subject, 200) for subject in session.unfinished()}
    return [(subject, "pending" if subject in unfinished else status) for subject, status in known]
