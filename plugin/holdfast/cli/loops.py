"""Open questions by hand: captured, explored, closed with an outcome, listed."""

import os
import time

import click

from holdfast import (
    codec,
    files,
    ids,
    journal,
    lookup,
    provenance,
    sessions,
    settings,
    settle,
    store,
    sync,
    table,
    text,
)
from holdfast.cache import Cache
from holdfast.cli.app import FORMAT, cli, dialects, followed, own_session, prepared, rooted, told_unplaced
from holdfast.errors import HoldfastError
from holdfast.loops import book
from holdfast.loops import lifecycle as loops
from holdfast.loops.book import Book
from holdfast.loops.loop import FIELDS, Loop
from holdfast.loops.place import PLACES, path_of
from holdfast.memory import following
from holdfast.paths import Place
from holdfast.payload import is_session

_STDIN = 0
_SHOWN = (
    ("Captured", "captured"),
    ("Context", "context"),
    ("Question", "question"),
    ("Explored since", "started"),
    ("Approach", "approach"),
    ("Closed", "closed"),
    ("Outcome", "result"),
    ("Evidence", "evidence"),
    ("Decision", "decision"),
)


@cli.group("loop")
def loop_group() -> None:
    """Keep the open questions in LOOPS.md: capture, explore, close, list them."""


@loop_group.command("add")
@click.argument("title")
@click.option("--context", default="", metavar="TEXT", help="Where the question comes from; - for standard input.")
@click.option("--question", default="", metavar="TEXT", help="What is to be answered; - for standard input.")
@click.pass_obj
def add_loop(place: Place, title: str, context: str, question: str) -> None:
    """Capture an open question, titled TITLE, under an id of its own."""
    root, now = _writable(place), time.time()
    said = _given(title=title, context=context, question=question)
    with store.writing(place):
        loop = loops.add(place, root, said, now, loops.texts(place, dialects(place).places))
        _stage(place, root)
    _heard(place, loop)
    click.echo(f"Captured {_named(loop)}")
    _follow(place, f"Added {loop.ident} to LOOPS.md: {loop.title}", now)


@loop_group.command("explore")
@click.argument("ident", metavar="ID")
@click.option("--approach", default="", metavar="TEXT", help="How it is looked into; - for standard input.")
@click.pass_obj
def explore_loop(place: Place, ident: str, approach: str) -> None:
    """Note that the loop ID, such as LOOP-007 or 7, is looked into now."""
    root, now = _writable(place), time.time()
    said = _given(approach=approach)
    with store.writing(place):
        loop, changed = loops.explore(place, root, ident, said["approach"], now)
        _stage(place, root)
    if changed:
        _heard(place, loop)
    click.echo(f"Exploring {_named(loop)}" if changed else f"{loop.ident} says so already; nothing was written.")
    _follow(place, f"Exploring {loop.ident} in LOOPS.md: {loop.approach or loop.title}" if changed else "", now)


@loop_group.command("close")
@click.argument("ident", metavar="ID")
@click.option("--outcome", default="", metavar="TEXT", help="What came of it, which is needed; - for standard input.")
@click.option("--evidence", default="", metavar="TEXT", help="What shows it; - for standard input.")
@click.option("--decision", default="", metavar="TITLE", help="The decision that it led to, which gets an id.")
@click.pass_obj
def close_loop(place: Place, ident: str, outcome: str, evidence: str, decision: str) -> int:
    """Close the loop ID, such as LOOP-007 or 7, with its outcome."""
    root, now = _writable(place), time.time()
    given = _given(result=outcome, evidence=evidence, decision=decision)
    title = " ".join(text.plain(given["decision"]).split())
    kept = _own(place, sessions.survey(place, now)) if title else None
    with store.writing(place):
        known = book.read(root).loop(ident)
        texts = loops.texts(place, dialects(place).places)
        fresh = bool(title) and not loops.is_closed(known, given)
        decided = ids.next_number(place, "DECISION", texts) if fresh else ""
        # Where no state file is to keep the decision, the loop does, with its words.
        named = decided if kept or not decided else f"{decided}: {title}"
        loop, changed = loops.close(place, root, ident, {**given, "decision": named}, now)
        _stage(place, root)
    if changed:
        _heard(place, loop)
    click.echo(f"Closed {_named(loop)}" if changed else f"{loop.ident} says so already; nothing was written.")
    code = _decided(place, f"{decided}: {title} ({loop.ident})", kept, now) if decided else 0
    created = f", created {decided}" if decided else ""
    _follow(place, f"Closed {loop.ident} in LOOPS.md: {loop.result}{created}" if changed else "", now)
    if title and not loop.decision:
        click.echo(f"holdfast: {loop.ident} was closed before, without a decision; none was recorded.", err=True)
        return 1
    return code


@loop_group.command("list")
@click.option("--all", "everything", is_flag=True, help="Closed loops too.")
@FORMAT
@click.pass_obj
def list_loops(place: Place, everything: bool, shape: str) -> None:  # noqa: FBT001 - click passes flags so
    """Show the loops that are open, or being clarified."""
    found = _read(place)
    shown = found.loops if everything else found.open
    if shape == "json":
        click.echo(codec.dumps([_row(loop) for loop in shown]))
    elif shown:
        table.show_loops(shown)
    else:
        hidden = f" {len(found.loops)} closed: holdfast loop list --all" if found.loops else ""
        click.echo(f"No loop is open.{hidden}")


@loop_group.command("show")
@click.argument("ident", metavar="ID")
@FORMAT
@click.pass_obj
def show_loop(place: Place, ident: str, shape: str) -> None:
    """Show all that the loop ID says."""
    loop = _read(place).loop(ident)
    if shape == "json":
        click.echo(codec.dumps(_row(loop)))
        return
    click.echo("\n".join([f"{loop.ident}: {text.safe(loop.title)} ({text.line(loop.status, 40)})", *_lines(loop)]))


def _writable(place: Place) -> str:
    """Return the working tree; HoldfastError where no file may appear in it."""
    root = rooted(place)
    prepared(place)
    if not place.initialised and not os.path.exists(path_of(root)):  # a file that is there is kept where it is
        raise HoldfastError(f"{root} is not prepared. Type: holdfast init")
    return root


def _read(place: Place) -> Book:
    """Return the loops of the working tree; what is wrong with the file is said."""
    found = book.read(rooted(place))
    provenance.refuse(place, [found.path])
    name = place.relative(found.path) or found.path
    for other in (f"{place.root}/{known}" for known in PLACES):
        if other != found.path and os.path.exists(other):
            click.echo(f"holdfast: {place.relative(other)} is not read, for {name} is there; make them one", err=True)
    for line, what in found.flaws:
        click.echo(f"holdfast: {name}, line {line}: {text.line(what, 200)}", err=True)
    return found


def _given(**said: str) -> dict[str, str]:
    """Return the texts, one of which may be read from standard input."""
    dashes = [name for name, words in said.items() if words == "-"]
    if len(dashes) > 1:
        raise click.UsageError("Only one of the texts can be read from standard input.")
    for name in dashes:
        try:
            said[name] = files.read_all(_STDIN).decode("utf-8-sig")
        except UnicodeDecodeError:
            raise HoldfastError("Standard input is not UTF-8. Give plain text.") from None
    return said


def _stage(place: Place, root: str) -> None:
    """Stage the file of the loops."""
    problem = settle.stage(place, "", path_of(root), _settings(place))
    if problem:
        click.echo(f"holdfast: {problem}", err=True)


def _heard(place: Place, loop: Loop) -> None:
    """Let the session in whose shell this runs know what it did: its state file is to say so."""
    own = own_session()
    if is_session(own) and journal.known(place.store, own):
        title = text.line(loop.title, 200)
        journal.append(place.store, own, {"kind": "loop", "id": loop.ident, "status": loop.status, "title": title})


def _settings(place: Place) -> settings.Settings:
    return settings.load(place.root, os.environ, Cache(place.store))


def _follow(place: Place, news: str, now: float) -> None:
    """Let the state files say what became of the loops; what is in the way of that is said, no more."""
    survey = sessions.survey(place, now)
    own = _own(place, survey)
    for problem in following.follow(place, survey, (own.session.id if own else "", news), now):
        click.echo(f"holdfast: {problem}", err=True)


def _own(place: Place, survey: sessions.Survey) -> lookup.Hit | None:
    """Return the one state file that is meant, None where nobody can tell."""
    try:
        hit = lookup.find(place, survey.sessions, "", own_session())
    except HoldfastError:
        return None
    return hit if hit.path else None


def _decided(place: Place, record: str, hit: lookup.Hit | None, now: float) -> int:
    """Record the decision that a loop led to in the state file that is meant; without one the loop alone tells."""
    if hit is None:
        click.echo(f"Recorded {text.line(record)} with the loop only: no one state file is meant.")
        return 0
    done = sync.sync(place, hit, {"Decisions": [record]}, dialects(place), _settings(place))
    followed(place, hit, now)
    if done.outcome.changes:
        click.echo(f"Recorded {text.line(record)} in {hit.session.state_name}.")
    return told_unplaced(done)


def _named(loop: Loop) -> str:
    """Return a loop at the end of a sentence."""
    title = text.line(loop.title)
    return f"{loop.ident}: {title}" + ("" if title.endswith((".", "?", "!", "…")) else ".")


def _row(loop: Loop) -> dict[str, object]:
    """Return a loop as JSON gives it."""
    return {"id": loop.ident, "status": loop.status, "line": loop.line, **{name: loop.said(name) for name in FIELDS}}


def _lines(loop: Loop) -> list[str]:
    """Return what a loop says as labelled lines; a text of several lines stands under its label."""
    told = [(label, text.safe(loop.said(field))) for label, field in _SHOWN if loop.said(field)]
    return [f"{label}:\n{_indented(said)}" if "\n" in said else f"{label}: {said}" for label, said in told]


def _indented(said: str) -> str:
    return "\n".join(line and f"  {line}" for line in said.split("\n"))
