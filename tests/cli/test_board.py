"""The board's keys at three sizes, in Textual's own test driver, and hostile texts."""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pyte
import pytest
from textual import events
from textual.widgets import Input, Static

from holdfast.cli.board import lines
from holdfast.cli.board.app import BoardApp, Question, Reading
from holdfast.cli.board.session_list import SessionList
from holdfast.overview.board import Board
from holdfast.project import paths
from tests.support import hooks, hostile

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine
    from pathlib import Path

    from textual.pilot import Pilot

    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared
SIZES = ((80, 24), *(pytest.param(size, marks=pytest.mark.slow) for size in ((120, 40), (200, 60))))
LIMIT = 15.0  # seconds
DAY = 86_400
EDIT = {"kind": "edit", "tool": "Edit", "path": "src/cart.py"}
DUE, END = {"kind": "due"}, {"kind": "end", "reason": "other"}
SESSIONS = {  # id: prompt, age in seconds, facts
    "aaaaaaaa-open": ("Parse the invoices", 60, [EDIT, {"kind": "task", "id": "1", "subject": "Sum the totals"}, DUE]),
    "bbbbbbbb-next": ("Move the buttons", 7200, [{**EDIT, "path": "src/button.py"}, DUE, END]),
    "cccccccc-gone": ("Write the release notes", 5 * DAY, [EDIT, DUE]),
}


@pytest.fixture
def busy(prepared: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Give a project with three open sessions, one of them stale; this process has its environment."""
    for ident, (prompt, age, facts) in SESSIONS.items():
        start = {"kind": "start", "root": str(prepared.root), "branch": "main", "host": "elsewhere", "pid": 1}
        prepared.remember(ident, start, {"kind": "prompt", "text": prompt}, *facts, at=time.time() - age)
    prepared.remember("aaaaaaaa-open", END, at=time.time() - 60)
    assert prepared.cli("settle").code == 0
    for name in [*os.environ]:
        if name not in prepared.environment():
            monkeypatch.delenv(name)
    for name, value in prepared.environment().items():
        monkeypatch.setenv(name, value)
    return prepared


@asynccontextmanager
async def opened(project: Project, size: tuple[int, int]) -> AsyncIterator[tuple[BoardApp, Pilot[None]]]:
    """Give the board of a project and what presses its keys, once it shows a session."""
    board = Board(paths.locate(str(project.root)))
    app = BoardApp(board, board.begin())
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: "STATE FILE" in screen(app))
        yield app, pilot
        assert app.failure is None


async def until(pilot: Pilot[None], done: Callable[[], bool]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + LIMIT
    while not done():
        assert time.monotonic() < end, screen(pilot.app)
        await pilot.pause(0.02)


def screen(app: Any) -> str:
    """Return what is on the screen."""
    strips = app.screen._compositor.render_strips()  # noqa: SLF001 - a picture of it would be larger than the text
    under = app.screen_stack[0]._compositor.render_strips() if len(app.screen_stack) > 1 else []  # noqa: SLF001 - Textual has no public way to read the screen below
    return "\n".join("".join(segment.text for segment in strip) for strip in [*strips, *under])


def play(scene: Coroutine[Any, Any, None]) -> None:
    """Play a scene to its end."""
    asyncio.run(asyncio.wait_for(scene, LIMIT * 4))


def selected(app: BoardApp) -> str:
    """Return the title of the selected session."""
    row = app.screen_stack[0].query_one(SessionList).selected
    return row.title if row else ""


@pytest.mark.parametrize("size", [*SIZES, (33, 12), (121, 5)])
def test_the_first_picture_is_that_of_the_application(busy: Project, size: tuple[int, int]) -> None:
    """Textual draws the same top line and list over what is painted before it is loaded, with a scrollbar or not."""
    board = Board(paths.locate(str(busy.root)))
    rows = board.begin()
    terminal = pyte.Screen(*size)
    pyte.Stream(terminal).feed(lines.painted(rows, size))
    app = BoardApp(board, rows)

    async def scene() -> list[str]:
        async with app.run_test(size=size) as pilot:
            await until(pilot, lambda: "Open (3)" in screen(app))
            return screen(app).split("\n")

    drawn = asyncio.run(asyncio.wait_for(scene(), LIMIT))
    chosen = [at for at in range(size[1]) if terminal.buffer[at][0].reverse]
    assert [("Parse the invoices" in terminal.display[at]) for at in chosen] == [True]
    for shown, line in list(zip(terminal.display, drawn, strict=False))[: size[1] - 1]:
        assert line.startswith(shown.rstrip()), drawn
    assert sum(bool(line.strip()) for line in terminal.display) == min(5, size[1] - 1)


def test_the_selected_session_alone_stands_out(busy: Project) -> None:
    """Its line is drawn in reverse, also after the next one is selected."""

    def marked(app: BoardApp) -> list[str]:
        shown = app.screen_stack[0].query_one(SessionList)
        strips = [shown.render_line(y) for y in range(shown.size.height)]
        return [strip.text for strip in strips if any(one.style and one.style.reverse for one in strip)]

    async def scene() -> None:
        async with opened(busy, (80, 24)) as (app, pilot):
            for keys in ([], ["down"]):
                await pilot.press(*keys)
                (line,) = marked(app)
                assert selected(app) in line

    play(scene())


def test_without_the_application_the_screen_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    """The error is then reported where the command was typed."""
    with pytest.raises(ImportError), lines.shown([]):
        raise ImportError
    assert capsys.readouterr().out.endswith("\x1b[?1049l\x1b[?25h")


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
def test_keys_move_through_the_list(busy: Project, size: tuple[int, int]) -> None:
    """The right side follows; both sides are on the screen at each size."""

    async def scene() -> None:
        async with opened(busy, size) as (app, pilot):
            assert "holdfast: 3 open" in screen(app)
            assert selected(app) == "Parse the invoices"
            for keys, title in (
                (["down"], "Move the buttons"),
                (["j"], "Write the release notes"),
                (["down"], "Write the release notes"),
                (["k"], "Move the buttons"),
                (["end"], "Write the release notes"),
                (["home"], "Parse the invoices"),
                (["pagedown"], "Write the release notes"),
                (["pageup"], "Parse the invoices"),
                (["up"], "Parse the invoices"),
            ):
                await pilot.press(*keys)
                assert selected(app) == title, keys
                await until(pilot, lambda title=title: f"│ {title}" in screen(app))  # type: ignore[misc]
            await pilot.press("tab")
            assert app.focused is not None
            assert app.focused.id == "details"
            await pilot.press("end")
            await until(pilot, lambda: "start" in screen(app) and "TIMELINE" in screen(app))
            await pilot.press("shift+tab", "q")
        assert app.return_code == 0

    play(scene())


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
def test_what_changes_something_asks_first(busy: Project, size: tuple[int, int]) -> None:
    """With n all stays as it was; y runs the command, whose report is shown word for word; the groups follow."""

    async def scene() -> None:
        async with opened(busy, size) as (app, pilot):
            for key, question, group in (
                ("p", "Pause “Parse the invoices”?", "Paused (1)"),
                ("c", "Close “Move the buttons”?", "Done (1)"),
            ):
                before = busy.cli("list", "--all", "--json").out
                await pilot.press("home", key)
                await until(pilot, lambda question=question: question in screen(app))  # type: ignore[misc]
                assert isinstance(app.screen, Question)
                await pilot.press("n")
                await until(pilot, lambda: len(app.screen_stack) == 1)
                assert busy.cli("list", "--all", "--json").out == before
                await pilot.press(key)
                await until(pilot, lambda: isinstance(app.screen, Question))
                await pilot.press("y")
                await until(pilot, lambda: isinstance(app.screen, Reading))
                await pilot.press("escape")
                await until(pilot, lambda group=group: group in screen(app))  # type: ignore[misc]
            await pilot.press("q")

    play(scene())
    known = {row["id"]: row["status"] for row in json.loads(busy.cli("list", "--all", "--json").out)}
    assert known["aaaaaaaa-open"] == "paused"
    assert (known["bbbbbbbb-next"], known["cccccccc-gone"]) == ("completed", "active")


def test_the_report_of_a_command_is_what_the_command_prints(busy: Project) -> None:
    """`d` shows the lines of `holdfast drift` for a terminal of the dialog's width."""

    async def scene() -> None:
        async with opened(busy, (120, 40)) as (app, pilot):
            await pilot.press("d")
            await until(pilot, lambda: "Escape closes this." in screen(app))
            known = busy.cli("drift", "aaaaaaaa-open", HOLDFAST_SCREEN="100x28").out.splitlines()
            assert len(known) > 1
            shown = screen(app)
            assert [line for line in known if line.strip() not in shown] == [], shown
            assert "All" not in shown.splitlines()[-1]  # what Escape does is not offered at the bottom
            await pilot.press("d", "question_mark")
            await until(pilot, lambda: "resume the session" in screen(app))
            await pilot.press("q")
            await until(pilot, lambda: len(app.screen_stack) == 1)
            await pilot.press("q")

    play(scene())


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
def test_a_search_shows_what_was_found(busy: Project, size: tuple[int, int]) -> None:
    """While it is typed; Enter goes to the list, Escape shows all again."""

    async def scene() -> None:
        async with opened(busy, size) as (app, pilot):
            await pilot.press("slash", *"button")
            await until(pilot, lambda: "holdfast: 1 open with 'button'" in screen(app))
            assert selected(app) == "Move the buttons"
            await pilot.press("enter")
            assert isinstance(app.focused, SessionList)
            await pilot.press("escape")
            await until(pilot, lambda: "holdfast: 3 open" in screen(app))
            assert not app.query(Input)
            assert selected(app) == "Move the buttons"
            for key in ("slash", *"nodp"):  # pasted: the letters come before the search line is there
                app.post_message(events.Key(key, "/" if key == "slash" else key))
            await until(pilot, lambda: "no session with 'nodp'" in screen(app))
            assert len(app.screen_stack) == 1
            await pilot.press("escape", "slash", *"nowhere")
            await until(pilot, lambda: "no session with 'nowhere'" in screen(app))
            await pilot.press("enter", "p", "enter", "d")  # nothing is selected, so nothing is done
            assert len(app.screen_stack) == 1
            await pilot.press("q")

    play(scene())


def test_enter_answers_a_question_with_no(busy: Project) -> None:
    """So nothing happens by mistake."""

    async def scene() -> None:
        async with opened(busy, (120, 40)) as (app, pilot):
            await pilot.press("p")
            await until(pilot, lambda: isinstance(app.screen, Question))
            await until(pilot, lambda: app.focused is not None)
            assert app.focused is not None
            assert app.focused.id == "no"
            await pilot.press("enter")
            await until(pilot, lambda: len(app.screen_stack) == 1)
            await pilot.press("q")

    play(scene())


def test_the_selected_session_is_drawn_anew_for_another_width(busy: Project) -> None:
    """Its lines are broken for the width of the right side; a search without a match leaves that side empty."""

    async def scene() -> None:
        async with opened(busy, (120, 40)) as (app, pilot):
            session = app.query_one("#session", Static)
            wide = str(session.render())
            await pilot.resize_terminal(60, 40)
            await until(pilot, lambda: str(session.render()) != wide)
            await pilot.press("slash", *"nowhere")
            await until(pilot, lambda: "no session with 'nowhere'" in screen(app))
            await until(pilot, lambda: not str(session.render()))
            await pilot.press("escape", "q")

    play(scene())


def test_the_mouse_selects_answers_and_scrolls(busy: Project) -> None:
    """A click selects; the buttons of a question and the keys at the bottom can be clicked."""

    async def scene() -> None:
        async with opened(busy, (120, 40)) as (app, pilot):
            await pilot.click(SessionList, offset=(5, 2))
            assert selected(app) == "Move the buttons"
            await pilot.click(SessionList, offset=(5, 0))  # a heading
            await pilot.click(SessionList, offset=(5, 20))  # below the last one
            assert selected(app) == "Move the buttons"
            await pilot.press("p")
            await until(pilot, lambda: isinstance(app.screen, Question))
            await pilot.click("#no")
            await until(pilot, lambda: len(app.screen_stack) == 1)
            await pilot.press("q")

    play(scene())


@pytest.mark.slow
def test_it_follows_the_journals(busy: Project) -> None:
    """A session that begins and one that goes on are shown without a key."""

    async def scene() -> None:
        async with opened(busy, (200, 60)) as (app, pilot):
            busy.remember("aaaaaaaa-open", {"kind": "prompt", "text": "Now the credit notes"})
            await until(pilot, lambda: "prompt: Now the credit notes" in screen(app))
            start = {"kind": "start", "root": str(busy.root), "branch": "main", "host": "elsewhere"}
            busy.remember("dddddddd-live", start, {"kind": "prompt", "text": "Read the dates"}, EDIT)
            await until(pilot, lambda: "Live (1)" in screen(app) and "Read the dates" in screen(app))
            assert selected(app) == "Parse the invoices"
            path = next(one for one in busy.state_files() if "invoices" in one.name)
            path.write_text(path.read_text().replace("## Current State", "## Current State\nThe dates are read."))
            busy.accept()
            await until(pilot, lambda: "The dates are read." in screen(app))
            await pilot.press("q")

    play(scene())


@pytest.mark.slow
def test_hostile_texts_stay_text(busy: Project) -> None:
    """Markup, escapes, bidi and very long texts in titles, prompts, tasks, paths and the state file."""
    nasty = "[bold red]X[/] [@click=app.quit]Y[/] \x1b[31mred\x1b]0;t\x07 \u202egnp.exe\u202c" + "z" * 10_000
    start = {"kind": "start", "root": str(busy.root), "branch": nasty, "host": "elsewhere"}
    facts = [{**EDIT, "path": f"src/{nasty}"}, {"kind": "task", "id": nasty, "subject": nasty, "status": "pending"}]
    loop = {"kind": "loop", "id": "LOOP-001", "title": nasty, "status": nasty}
    child = {"kind": "child", "agent": "a1", "type": nasty, "status": "running"}
    busy.remember("eeeeeeee", start, {"kind": "prompt", "text": f"Fix {nasty}"}, *facts, loop, child, END)
    busy.write_state(title=nasty.replace('"', "").replace("\\", "")[:200], state=nasty, following=nasty)
    busy.accept()

    async def scene() -> None:
        async with opened(busy, (120, 40)) as (app, pilot):
            for _ in range(6):
                await pilot.pause(0.3)
                shown = screen(app)
                assert hostile.unprintable(shown.replace("\n", "")) == ""
                await pilot.press("down")
            assert "[bold red]X[/] [@click=app.quit]Y[/]" in shown
            await pilot.press("slash", *"[bold")
            await until(pilot, lambda: "with '[bold'" in screen(app))
            await pilot.press("enter", "p")
            await until(pilot, lambda: isinstance(app.screen, Question) and "Yes (y)" in screen(app))
            question = " ".join(str(part.render()) for part in app.screen.query(Static))
            assert re.search(r"Pause “(Fix )?\[bold red\]X", question), question
            await pilot.press("n")
            app.push_screen(Reading("A report", nasty))
            await until(pilot, lambda: bool(app.screen.query("Reading Static, .hint")))
            parts = [str(part.render()) for part in app.screen.query(Static)]
            assert any("[bold red]X[/]" in part for part in parts), parts
            await pilot.press("escape", "q")

    play(scene())


def test_an_error_ends_the_board_without_a_traceback(busy: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """The application keeps the error for the command, which reports it in one line."""
    board = Board(paths.locate(str(busy.root)))
    app = BoardApp(board, board.begin())
    monkeypatch.setattr(Board, "details", lambda *_: 1 // 0)

    async def scene() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda: app.failure is not None)

    play(scene())
    assert isinstance(app.failure, Exception)
    assert app.query(Static) is not None


@pytest.mark.parametrize("words", [[], ["--plain"], ["--json"]])
def test_it_is_for_terminals_only(busy: Project, words: list[str]) -> None:
    """A pipe gets no second list of sessions, but the name of the one there is."""
    done = busy.cli("board", *words)
    assert (done.code, done.out) == (2 if words else 1, "")
    assert words or "holdfast list --all" in done.err


def test_a_program_that_cannot_be_started_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the reason; the board goes on."""
    assert lines._failed([f"{tmp_path}/gone"], str(tmp_path), {})  # noqa: SLF001 - the board starts no such program
    assert capsys.readouterr().out == f"holdfast: {tmp_path}/gone: No such file or directory\n"
