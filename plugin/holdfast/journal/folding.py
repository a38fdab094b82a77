"""Fold facts into a session. One function for each kind of fact; `journal.kinds` says what each kind means."""

import os

from holdfast.core.fast_json import number_of, text_of
from holdfast.core.statuses import STATUSES
from holdfast.journal.kinds import KINDS, Kind
from holdfast.journal.session import TASK_OVER, Child, Recorded, orphaned, typed_by_user
from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holdfast.journal.log import Fact


_LINE = 300  # characters
_BY_SETTLE = frozenset(
    {"settle", "use", "rename", "restore"}
)  # how a settle comes by a state file, which it then writes
_LISTED = "todo "  # begins the id of a task in a list that Claude keeps


def fold(before: Recorded, facts: "Iterable[Fact]") -> Recorded:
    """Return a session after facts that follow in its journal on those that made it what it was `before`."""
    session = before.copy()
    settling = session.settling
    for fact in facts:
        settling.count += 1
        name = fact["kind"]
        session.journaled = session.journaled or name != "update"  # which any session's agent may make
        if name not in _FOLDED:
            continue
        apply_one, kind = _FOLDED[name]
        apply_one(session, fact)
        if kind.work and not _is_no_news(fact):
            settling.changed = settling.count
        if kind.own:
            session.last_active, settling.last = number_of(fact, "at"), settling.count
            settling.pending = settling.count if kind.due else settling.pending
    has_work = session.claimed or settling.due or session.children or session.begun
    settling.unsettled = (settling.last if has_work else settling.pending) > settling.settled
    return session


def _is_no_news(fact: "Fact") -> bool:
    """Whether this is no work for a settle: a subagent without a type, the summariser; or what a settle did itself."""
    if fact["kind"] == "child":
        return not text_of(fact, "type")
    return fact["kind"] == "state" and text_of(fact, "by") in _BY_SETTLE


def _started(session: Recorded, fact: "Fact") -> None:
    process, source = session.process, fact.get("source")
    session.started, process.began = session.started or number_of(fact, "at"), number_of(fact, "at")
    process.ran = process.ran if source == "compact" and process.ran else process.began
    _work_continues(session)
    if (process.pid, process.identity) != (number_of(fact, "pid"), text_of(fact, "process")):
        process.unended = (process.pid, "" if session.ended else process.identity, session.last_active)
        session.children = orphaned(session.children)  # subagents run in their session's process
    session.ended, process.reason, session.measured = 0.0, "", None
    process.pid, process.identity = int(number_of(fact, "pid")), text_of(fact, "process")
    process.host, process.folder = text_of(fact, "host"), process.folder or text_of(fact, "folder")
    process.forked = process.forked or source == "fork"
    process.compactions += source == "compact"
    session.client = text_of(fact, "client")
    session.root = text_of(fact, "root") or session.root
    session.transcript = session.transcript or text_of(fact, "transcript")
    session.parent = text_of(fact, "parent") or session.parent
    session.origin = text_of(fact, "origin") or session.origin
    session.worktree = session.root
    _moved(session, fact, "worktree")


def _prompted(session: Recorded, fact: "Fact") -> None:
    prompt = _on_one_line(text_of(fact, "text"))
    session.talk.typed(prompt)
    if typed_by_user(prompt):
        session.talk.prompt = session.talk.prompt or prompt
        session.talk.prompted = number_of(fact, "at")
        session.talk.times.append(session.talk.prompted)
        _work_continues(session)
        begun = session.tasks or any(not path.startswith("/") for path in session.files)
        if session.talk.request and begun:
            return
        said = _on_one_line(_without_terminal(text_of(fact, "text")))
        session.talk.request = said if _is_request(session, said) else session.talk.request


def _on_one_line(text: str) -> str:
    """Return the beginning of a quoted text for lists; `journal.conversation` has the whole."""
    line = " ".join(text.split())
    return line if len(line) <= _LINE else line[: _LINE - 1].rstrip() + "…"


def _without_terminal(text: str) -> str:
    """Return a prompt without what was pasted from a terminal, which begins with a word such as "root:~#"."""
    if "".join(text.split(maxsplit=1)[:1])[-1:] not in {"#", "$", "%"}:
        return text
    from holdfast.journal import conversation  # few prompts begin so

    return conversation.without_terminal(text)


def _is_request(session: Recorded, prompt: str) -> bool:
    """Whether a prompt names the work: it answers no question, and takes the place only of one without substance.

    A short question, such as "which port is that?", has none while nothing was changed for it.
    """
    from holdfast.journal import asked  # few starts of a process read a journal with a new prompt

    if session.talk.request:
        weak = asked.in_passing(session.talk.request) or not asked.has_substance(session.talk.request)
        return not session.talk.asking and weak and asked.has_substance(prompt)
    return not session.talk.asking and asked.is_request(prompt)


def _work_continues(session: Recorded) -> None:
    """Drop the status waiting or paused that was chosen; the next settle changes the state file accordingly."""
    session.settling.revived = session.settling.revived or session.chosen == "paused"
    session.chosen = "" if session.chosen in {"waiting", "paused"} else session.chosen


def _work_changed(session: Recorded) -> None:
    """Drop the status completed or dropped that was chosen, when work follows a later start or prompt.

    The next settle changes the state file accordingly.
    """
    session.talk.works()
    if session.chosen and max(session.process.began, session.talk.prompted) > session.chosen_at:
        session.chosen, session.settling.revived = "", True


def _edited(session: Recorded, fact: "Fact") -> None:
    path, root = text_of(fact, "path"), text_of(fact, "root") or session.root
    # Most facts of a journal come here, so that paths are joined only where that can matter.
    if session.claimed.endswith(path) and os.path.join(root, path) == session.claimed:
        session.file.edited = number_of(fact, "at")
        if fact.get("tool") == "Write":  # it replaces the whole text, marked blocks included
            session.file.blocks.clear()
    elif path not in session.files and paths.is_state_path(path, session.patterns):
        where = os.path.join(root, path)
        session.file.unclaimed = (
            session.file.unclaimed if text_of(fact, "agent") or where in session.file.held else where
        )
    else:
        child = session.children.get(text_of(fact, "agent")) if session.children else None
        for files in (session.files, child.files) if child else (session.files,):
            files.pop(path, None)
            files[path] = number_of(fact, "at")
        if not path.startswith("/"):
            _work_changed(session)


def _moved(session: Recorded, fact: "Fact", key: str = "path") -> None:
    session.worktree = text_of(fact, key) or session.worktree
    branch = text_of(fact, "branch") or session.branch
    if branch != session.branch:
        session.branch = branch
        session.process.branches.append((number_of(fact, "at"), branch))


def _task_changed(session: Recorded, fact: "Fact") -> None:
    ident = text_of(fact, "id")
    subject, status, _ = session.tasks.get(ident, ("", "pending", 0.0))
    subject, status = text_of(fact, "subject") or subject, text_of(fact, "status") or status
    session.settling.news.append((session.settling.count, fact))
    session.tasks[ident] = (subject, status, number_of(fact, "at"))
    _work_changed(session)


def _listed(session: Recorded, fact: "Fact") -> None:
    """Set the tasks to a list that replaces the one before."""
    from holdfast.journal import dialogs  # few journals have such a list

    at, listed = number_of(fact, "at"), dict(dialogs.tasks(text_of(fact, "text")))
    before = {subject: status for ident, (subject, status, _) in session.tasks.items() if ident == _LISTED + subject}
    gone = {subject: "deleted" for subject, status in before.items() if status not in TASK_OVER}
    for subject, status in {**gone, **listed}.items():
        if before.get(subject) != status:
            changed: Fact = {"at": at, "kind": "task", "id": _LISTED + subject, "subject": subject, "status": status}
            _task_changed(session, changed)


def _proposed(session: Recorded, fact: "Fact") -> None:
    session.talk.proposed = (text_of(fact, "id"), text_of(fact, "text"))


def _refused(session: Recorded, _fact: "Fact") -> None:
    session.talk.proposed = ("", "")


def _planned(session: Recorded, fact: "Fact") -> None:
    session.talk.proposed = ("", "")
    session.plan = (text_of(fact, "text"), text_of(fact, "path"), number_of(fact, "at"))
    _work_changed(session)


def _task_set(session: Recorded, fact: "Fact") -> None:
    session.file.task_set = number_of(fact, "at")


def _loop_changed(session: Recorded, fact: "Fact") -> None:
    session.loops[text_of(fact, "id")] = (text_of(fact, "title"), text_of(fact, "status"), number_of(fact, "at"))


def _zone_entered(session: Recorded, fact: "Fact") -> None:
    session.process.zones.append((number_of(fact, "at"), int(number_of(fact, "zone"))))


def _child_changed(session: Recorded, fact: "Fact") -> None:
    ident = text_of(fact, "agent")
    child = session.children.setdefault(ident, Child(ident, number_of(fact, "at")))
    if child.answer and child.status == "completed" and text_of(fact, "status") == "running":
        child.earlier, child.answer, child.runs = child.answer, "", child.runs + 1
    child.status, child.last_active = text_of(fact, "status"), number_of(fact, "at")
    child.type = text_of(fact, "type") or child.type
    child.answer = _on_one_line(text_of(fact, "text")) or child.answer
    child.transcript = text_of(fact, "transcript") or child.transcript


def _leaves(session: Recorded, answer: str) -> tuple[bool, bool]:
    """Return whether an answer ends with a question, and whether it names what is next.

    Before any request, as after a greeting, only a question that names something counts: it is answered next. The
    answer to a question may only tell of other work, so that what it only mentions does not count.
    """
    from holdfast.journal import asked, next_steps, replies

    question = replies.question(answer)
    if not (session.talk.request or session.begun):
        return asked.is_request(question), False
    headed = not session.begun and asked.is_question(session.talk.latest)
    return bool(question), bool(next_steps.of_answer(answer, headed=headed))


def _answered(session: Recorded, fact: "Fact") -> None:
    text = text_of(fact, "text")
    if text or fact.get("forgotten"):
        session.talk.answered = number_of(fact, "at")
    if session.talk.takes(text):
        session.talk.answer = _on_one_line(text)
        session.talk.asking, session.talk.ahead = _leaves(session, text)
    _moved(session, fact, "worktree")


def _ended(session: Recorded, fact: "Fact") -> None:
    session.ended, session.process.reason = number_of(fact, "at"), text_of(fact, "reason")
    session.children = orphaned(session.children)


def _crashed(session: Recorded, fact: "Fact") -> None:
    session.process.crashes.append(number_of(fact, "since"))
    session.settling.last, session.measured = session.settling.count, None


def _state_file_due(session: Recorded, fact: "Fact") -> None:
    session.settling.due = session.settling.due or number_of(fact, "at")


def _state_file_claimed(session: Recorded, fact: "Fact") -> None:
    if not text_of(fact, "agent"):  # a child's state file is not its parent's
        renamed = text_of(fact, "by") in {"rename", "restore"}
        other = not renamed and session.claimed_name != text_of(fact, "path")
        if session.file.made and other:
            session.file.given_up.add(session.claimed_name)
        if other:
            session.file.children.clear()
            session.file.logged.clear()
            session.file.blocks.clear()
        session.state_root = text_of(fact, "root") or session.root
        session.claimed_name = text_of(fact, "path")
        session.claimed = os.path.join(session.state_root, session.claimed_name)
        session.settling.due = 0.0
        session.file.made = text_of(fact, "by") == "settle" or (session.file.made and renamed)
        session.file.held.add(session.claimed)
        session.file.unclaimed = "" if session.file.unclaimed == session.claimed else session.file.unclaimed
        if text_of(fact, "by") in {"edit", "start", "sync"}:  # a settle writes no text of its own
            session.file.edited = number_of(fact, "at")


def _state_file_released(session: Recorded, _fact: "Fact") -> None:
    session.file.held.discard(session.claimed)
    session.claimed = session.claimed_name = session.state_root = ""
    session.file.edited, session.file.made = 0.0, False


def _children_listed(session: Recorded, fact: "Fact") -> None:
    session.file.children.update(text_of(fact, "ids").split())
    pairs = (pair.rpartition("=") for pair in text_of(fact, "logged").split())
    session.file.logged.update((key, text) for key, _, text in pairs)


def _named(session: Recorded, fact: "Fact") -> None:
    title, by = text_of(fact, "title"), text_of(fact, "by")
    if by == "person":
        session.file.given = title
    else:
        session.file.title, session.file.title_from, session.file.given = title, by, ""


def _settled(session: Recorded, fact: "Fact") -> None:
    settling = session.settling
    settling.settled = max(settling.settled, int(number_of(fact, "facts")))
    if settling.news and settling.news[0][0] <= settling.settled:
        settling.news = [(number, one) for number, one in settling.news if number > settling.settled]


def _measured(session: Recorded, fact: "Fact") -> None:
    session.measured = fact


def _completed(session: Recorded, fact: "Fact") -> None:
    session.file.completed = number_of(fact, "at") if text_of(fact, "status") else 0.0


def _blocks_added(session: Recorded, fact: "Fact") -> None:
    session.file.blocks.update(text_of(fact, "names").split())


def _noted(session: Recorded, fact: "Fact") -> None:
    session.settling.note = text_of(fact, "text")


def _origin_found(session: Recorded, fact: "Fact") -> None:
    session.origin = session.origin or text_of(fact, "session")


def _status_chosen(session: Recorded, fact: "Fact") -> None:
    word = text_of(fact, "status")
    if not word or word in STATUSES:
        session.chosen, session.chosen_at, session.settling.revived = word, number_of(fact, "at"), False
        session.chosen_on = text_of(fact, "branch")


def _restored(session: Recorded, fact: "Fact") -> None:
    session.file.edited, session.file.saved = number_of(fact, "since"), 0.0


def _saved(session: Recorded, fact: "Fact") -> None:
    session.file.saved = max(session.file.saved, number_of(fact, "saved"))


def _hub_written(session: Recorded, fact: "Fact") -> None:
    session.settling.wrote[text_of(fact, "agent")] = fact


def _updated(session: Recorded, fact: "Fact") -> None:
    _status_chosen(session, fact)
    outdated = (
        max(session.process.began, session.talk.prompted) > session.chosen_at
    )  # the work went on before it was journaled
    session.chosen = "" if session.chosen == "active" or outdated else session.chosen
    known = session.settling.wrote.get("", {})
    wrote = known.get("wrote")
    if isinstance(wrote, dict):  # so that the new status is not taken for a person's edit
        session.settling.wrote[""] = {**known, "wrote": {**wrote, "Status": text_of(fact, "text")}}


def _decided(session: Recorded, fact: "Fact") -> None:
    session.file.decided.add(text_of(fact, "text"))


def _committed(session: Recorded, fact: "Fact") -> None:
    session.commits[text_of(fact, "id")] = number_of(fact, "made")


def _drifted(session: Recorded, fact: "Fact") -> None:
    session.settling.drift = fact


def _ignored(_session: Recorded, _fact: "Fact") -> None:
    return


_FOLDED: "dict[str, tuple[Callable[[Recorded, Fact], None], Kind]]" = {
    name: (globals()[kind.folded or "_ignored"], kind) for name, kind in KINDS.items()
}
