"""The commands `loop …`: capture, explore, close and list open questions."""

import contextlib
import os

import click

from holdfast.cli import render
from holdfast.cli.app import (
    cli,
    own_session,
    print_json,
    report_unplaced,
    require_store,
    require_worktree,
    say,
    say_nothing,
    warn,
    with_session_option,
    with_words,
)
from holdfast.cli.output import HEADER, is_json, note, report, reports
from holdfast.core.errors import HoldfastError
from holdfast.memory import reading
from holdfast.memory.loops.elements import KIND, Loop
from holdfast.project import discovery, ids
from holdfast.project.paths import Project
from holdfast.sessions.workspace import Workspace
from holdfast.trust import clone, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.formats.catalogue import Formats
    from holdfast.sessions.candidates import Hit
    from holdfast.sessions.survey import Survey


class _Loops:
    """What a command that changes the loops works on.

    - root: the working tree. own: the state file that is meant, None where that is not clear. state: its path, or "".
    - others: further state files that show the loop.
    - path: LOOPS.md. name: the same as the user knows it.
    """

    def __init__(self, workspace: Workspace, ident: str, loop_id: str = "") -> None:
        from holdfast.memory.loops import book
        from holdfast.sessions import survey as sessions

        self.workspace, self.project = workspace, workspace.project
        self.root = require_worktree(self.project)
        require_store(self.project)
        self.survey = sessions.survey(workspace)
        self.others: list[Hit] = []
        own = _own_state_file(self.project, self.survey, ident)
        self.own = self._showing(own, ids.parse(KIND, loop_id), named=bool(ident)) or self._most_recent()
        self.state = self.own.path if self.own and not self.own.entry else ""
        self.path = discovery.loops_path(self.root, self.state)
        self.name = self.project.relative(self.path) or self.path
        self.untrusted = bool(clone.TrustCheck().untrusted([self.path]))
        if not self.project.initialised and not os.path.exists(self.path):
            raise HoldfastError(f"{self.root} is not prepared. Type: holdfast init")
        book.refuse_odd(self.path)
        self.settings = workspace.valid_settings  # before anything is written

    def _showing(self, own: "Hit | None", ident: str, *, named: bool) -> "Hit | None":
        """Return the state file with whose loops a loop is, `own` if it is there; None where no file shows it.

        HoldfastError where several files may be meant, or another one than was `named`.
        """
        from holdfast.sessions.candidates import Hit

        hits = [Hit(session) for session in reading.holders(self.survey, ident)] if ident else []
        books = [discovery.loops_path(self.root, hit.path) for hit in hits]
        if own and (not hits or discovery.loops_path(self.root, own.path) in books):
            hits = [own, *(hit for hit in hits if hit.path != own.path)]
            books = [discovery.loops_path(self.root, hit.path) for hit in hits]
        elif hits and (named or len(set(books)) > 1):
            names = ", ".join(hit.session.state_name for hit in hits)
            raise HoldfastError(f"{ident} is in {names}. Name that with --session. Nothing was written.")
        self.others = [hit for hit, path in zip(hits[1:], books[1:], strict=True) if path == books[0]]
        return hits[0] if hits else None

    def _most_recent(self) -> "Hit | None":
        """Return, of several state files, the most recent, which is named; None for none."""
        from holdfast.sessions import lookup

        known = self.survey.sessions
        category = "active" if any(session.active and session.state for session in known) else "paused"
        with contextlib.suppress(HoldfastError):  # none is there
            hit = lookup.find(self.project, known, "", own_session(), category, recent=True)
            if hit.note:
                warn(f"{hit.note} ({hit.session.state_name})")
            return hit if hit.path else None
        return None

    @property
    def keeps_decisions(self) -> bool:
        """Whether the state file that is meant has a place for decisions; working memory has them with the loop."""
        if not self.state:
            return self.own is not None
        state = self.workspace.state_file(self.state)
        from holdfast.memory.view import FORMAT  # `loop list` needs no parser of state files

        return bool(state.file_format and state.file_format.name != FORMAT) or bool(state.record.sections("Decisions"))

    def listed(self, ident: str) -> Loop | None:
        """Return a loop that only the table of a state file has, else None; HoldfastError if Claude may not see it."""
        from holdfast.memory.loops import book

        if self.untrusted and clone.output_reaches_claude():
            clone.refuse([self.path])
        meant = ids.parse(KIND, ident)
        if not meant or any(one.has_id(meant) for one in book.read(self.root, self.state).loops):
            return None
        return next((loop for loop in reading.in_tables(self.survey, self.state) if loop.ident == meant), None)

    def report(self, loop: Loop, requested: str, done: str) -> None:
        """Print what was done with a loop, "" for nothing, and which other loop had the requested id before a merge."""
        from holdfast.memory.loops import book

        text = done or f"{loop.ident} says so already; nothing was written."
        report({**loop.row(), "changed": bool(done)}, text, f"Loops: {self.name}")
        for line in render.renamed(book.read(self.root, self.state).loops, loop, requested):
            note(line)

    def stage(self) -> None:
        """Stage LOOPS.md."""
        from holdfast.actions import adoption

        problem = adoption.stage(self.project, "", self.path, self.settings)
        if problem:
            warn(problem)


def _formats(workspace: Workspace) -> "Formats":
    """Return the formats of the project; a problem with its own ones is printed."""
    formats = workspace.formats
    if formats.complaint:
        warn(formats.complaint)
    return formats


@cli.group("loop")
def loop_group() -> None:
    """Keep open questions, which are called loops, in LOOPS.md."""


@loop_group.command("draft")
@with_words("title")
@reports
@click.pass_obj
def draft_loop(workspace: Workspace, title: str) -> None:
    """Print a draft of an open question for the user to approve."""
    require_worktree(workspace.project)
    words, lines = render.loop_draft(title)
    call = f"holdfast loop add {safe.shell(words)} --context … --question …"
    head = "A draft; nothing is captured yet. Complete context and question, and ask the user to approve the loop:"
    row: dict[str, object] = {"title": words, "draft": "\n".join(lines), "call": call}
    report(row, head, "", *lines, "", "Once the user has approved it:", f"    {call}")


@loop_group.command("add")
@with_words("title", masked=False)
@click.option("--context", default="", metavar="TEXT", help="Where the question comes from; - for standard input.")
@click.option("--question", default="", metavar="TEXT", help="The whole question; - for standard input.")
@with_session_option
@reports
@click.pass_obj
def add_loop(workspace: Workspace, title: str, context: str, question: str, ident: str) -> None:
    """Capture an open question, titled TITLE, under an id of its own."""
    from holdfast.actions import step
    from holdfast.editing import store
    from holdfast.memory import refresh
    from holdfast.memory.loops import lifecycle

    texts = render.texts_of(title=title, context=context, question=question)
    project, loops = workspace.project, _Loops(workspace, ident)
    with store.writing(project):
        _refuse_known(loops, render.loop_draft(texts["title"])[0])
        known = lifecycle.texts(project, _formats(workspace).patterns)
        loop = lifecycle.add(project, loops.root, texts, workspace.now, known, state=loops.state)
        loops.stage()
    step.record_loop(project, own_session(), loop)
    report({**loop.row(), "changed": True}, f"Captured {render.titled(loop)}", f"Loops: {loops.name}")
    _update_state_file(loops, refresh.added(loop), loop, "add")


def _refuse_known(loops: _Loops, title: str) -> None:
    """Refuse the title of a loop that is open."""
    from holdfast.memory.loops import book

    known = [*book.read(loops.root, loops.state).open, *reading.in_tables(loops.survey, loops.state)]
    same = [loop.ident for loop in known if loop.title.casefold() == title.casefold() and not loop.over]
    if same:
        raise HoldfastError(f"{same[0]} asks that already. Type: holdfast loop show {same[0]}")


@loop_group.command("explore")
@click.argument("loop_id", metavar="ID")
@click.option("--approach", default="", metavar="TEXT", help="How it is looked into; - for standard input.")
@with_session_option
@reports
@click.pass_obj
def explore_loop(workspace: Workspace, loop_id: str, approach: str, ident: str) -> None:
    """Record that the loop ID, such as LOOP-7 or 7, is being explored."""
    from holdfast.actions import step
    from holdfast.editing import store
    from holdfast.memory.loops import lifecycle

    given = render.texts_of(approach=approach)
    project, loops = workspace.project, _Loops(workspace, ident, loop_id)
    with store.writing(project):
        listed = loops.listed(loop_id)
        loop, changed = lifecycle.explore(
            project, loops.root, loop_id, given["approach"], workspace.now, state=loops.state, listed=listed
        )
        loops.stage()
    recorded = render.bare(loop, given) if loops.untrusted else loop  # journal and state file are trusted
    if changed:
        step.record_loop(project, own_session(), recorded)
    loops.report(loop, loop_id, f"Exploring {render.titled(loop)}" if changed else "")
    words = safe.line(recorded.approach or recorded.title)
    news = f"Exploring {loop.ident} in LOOPS.md{f': {words}' if words else ''}"
    _update_state_file(loops, news if changed else "", recorded)


@loop_group.command("close")
@click.argument("loop_id", metavar="ID")
@click.option(
    "--outcome", default="", metavar="TEXT", help="The answer to the question (required); - for standard input."
)
@click.option("--evidence", default="", metavar="TEXT", help="What shows it; - for standard input.")
@click.option("--decision", default="", metavar="TITLE", help="The decision that it led to, which gets an id.")
@with_session_option
@reports
@click.pass_obj
def close_loop(  # noqa: PLR0913, PLR0917 - one argument for each option
    workspace: Workspace, loop_id: str, outcome: str, evidence: str, decision: str, ident: str
) -> int:
    """Close the loop ID, such as LOOP-007 or 7, with its outcome."""
    from holdfast.actions import step
    from holdfast.editing import store
    from holdfast.memory import refresh
    from holdfast.memory.loops import book, lifecycle

    texts = render.texts_of(result=outcome, evidence=evidence, decision=decision)
    title = " ".join(safe.plain(texts["decision"]).split())
    project, loops = workspace.project, _Loops(workspace, ident, loop_id)
    with store.writing(project):
        listed = loops.listed(loop_id)
        before = listed or book.read(loops.root, loops.state).loop(loop_id)
        decided = ""
        if title and not lifecycle.is_closed(before, texts):
            known = lifecycle.texts(project, _formats(workspace).patterns)
            named = ids.split_title("DECISION", f"{title} ." if title.upper().startswith("DECISION-") else "")
            decided = named[0] if named else ids.next_number(project, "DECISION", known)
            title = named[1].removesuffix(".").strip() if named else title
        # Without a state file to keep the decision, the loop has its words.
        texts["decision"] = decided if loops.keeps_decisions or not (decided and title) else f"{decided}: {title}"
        loop, changed = lifecycle.close(
            project, loops.root, loop_id, texts, workspace.now, state=loops.state, listed=listed
        )
        loops.stage()
    recorded = render.bare(loop, texts) if loops.untrusted else loop  # as in `explore_loop`
    if changed:
        step.record_loop(project, own_session(), recorded)
    loops.report(loop, loop_id, f"Closed {render.titled(loop)}" if changed else "")
    kept = decided and title and (loops.keeps_decisions or not loops.own)
    code = _keep_decision(loops, f"{decided}: {title} ({loop.ident})") if kept else 0
    _update_state_file(loops, refresh.closed_with(recorded) if changed else "", recorded, "remove")
    if decision and not loop.decision:
        warn(f"{loop.ident} was closed before, without a decision; none was recorded.")
        return 1
    return code


@loop_group.command("list")
@click.option("--all", "everything", is_flag=True, help="Also list closed loops.")
@HEADER
@reports
@click.pass_obj
def list_loops(workspace: Workspace, *, everything: bool) -> None:
    """List the open loops, of LOOPS.md and of state files."""
    everyone, _ = _read(workspace)
    shown = everyone if everything else [loop for loop in everyone if not loop.over]
    if is_json():
        print_json([loop.row() for loop in shown])
    elif shown:
        from holdfast.cli import screen, tables

        more = f"{{}} more: holdfast loop list{' --all' * everything} | cat"
        say(*screen.page(tables.loops(shown, workspace.now), more))
    else:
        hidden = f" {len(everyone)} closed: holdfast loop list --all" if everyone else ""
        say_nothing(f"No loop is open.{hidden}")


@loop_group.command("show")
@click.argument("ident", metavar="ID")
@reports
@click.pass_obj
def show_loop(workspace: Workspace, ident: str) -> None:
    """Show the loop ID: its question, approach and outcome."""
    from holdfast.memory.loops import book

    loops, path = _read(workspace)
    loop = book.one_of(loops, ident, path)
    if is_json():
        print_json(loop.row())
        return
    click.echo("\n".join([*render.loop_lines(loop), *render.renamed(loops, loop, ident)]))


def _read(workspace: Workspace) -> tuple[list[Loop], str]:
    """Print problems with LOOPS.md; return its loops, those only in tables of state files, and the file's path."""
    from holdfast.sessions import survey as sessions

    project = workspace.project
    root, survey = require_worktree(project), sessions.survey(workspace)
    own = _own_state_file(project, survey)
    state = own.path if own and not own.entry else ""
    path = discovery.loops_path(root, state)
    loops, flaws = reading.in_book(path, workspace.cache)
    name = project.relative(path) or path
    for other in (f"{project.root}/{known}" for known in discovery.PATHS):
        if other != path and os.path.exists(other):
            warn(f"{project.relative(other)} is ignored because {name} exists; merge the two")
    for line, problem in flaws:
        warn(f"{name}, line {line}: {safe.line(problem, 200)}")
    known = {loop.ident for loop in loops}
    found = [*loops, *(loop for loop in reading.in_tables(survey, state) if loop.ident not in known)]
    workspace.save()
    return found, path


def _update_state_file(loops: _Loops, news: str, loop: Loop, verb: str = "") -> None:
    """Bring the loops in the state files that show them up to date, with `news`; a problem is only printed."""
    from holdfast.actions import step
    from holdfast.actions.step import Step

    for hit in [loops.own, *loops.others] if loops.own and loops.state else ():
        problem = step.follow_loop(Step(loops.project, hit, loops.survey, loops.workspace.now), news, verb, loop)
        if problem:
            warn(problem)


def _own_state_file(project: Project, survey: "Survey", ident: str = "") -> "Hit | None":
    """Return the state file that `ident` names, else that of the own session or the only active one.

    None when it is not clear which one is meant; HoldfastError when no state file has the name.
    """
    from holdfast.sessions import lookup

    try:
        hit = lookup.find(project, survey.sessions, ident, own_session())
    except HoldfastError:
        if ident:
            raise
        return None
    return hit if hit.path else None


def _keep_decision(loops: _Loops, record: str) -> int:
    """Add the decision of a loop to the state file that is meant, if there is one; return the exit code."""
    from holdfast.actions import sync

    workspace, hit = loops.workspace, loops.own
    if hit is None:
        note(f"Recorded {safe.line(record)} with the loop only, because no state file is open.")
        return 0
    done = sync.sync(loops.project, hit, {"Decisions": [record]}, _formats(workspace), loops.settings)
    if done.outcome.changes:
        note(f"Recorded {safe.line(record)} in {hit.session.state_name}.")
    return report_unplaced(done)
