"""The board as a full-screen application. One thread reads sessions; the application only shows what that returns."""

import asyncio
import itertools
import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Footer, Static

from holdfast.cli.board import lines
from holdfast.cli.board.session_list import SessionList
from holdfast.core.errors import HoldfastError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from typing import Any, ParamSpec, TypeVar

    from textual import events
    from textual.app import ComposeResult
    from textual.widgets import Input
    from textual.worker import Worker

    from holdfast.overview.board import Board, Row

    Asked = ParamSpec("Asked")
    Answer = TypeVar("Answer")


_PAUSE = 1.0  # seconds between two looks at the journals
_AGES = 30  # looks, after which the list is drawn again, because sessions grow older
_SETTLED = 0.15  # seconds without another key, after which a search begins
_ROOM = (8, 8)  # columns and lines around a text to read


class BoardApp(App[None]):
    """The sessions at the left, the selected one at the right."""

    ENABLE_COMMAND_PALETTE = False
    TITLE = "holdfast"
    CSS = """
    #top, #note { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
    #top { text-style: bold; }
    #note { display: none; color: ansi_yellow; }
    #note.shown { display: block; }
    #sessions { width: 40%; min-width: 30; max-width: 76; height: 1fr; scrollbar-size-vertical: 1; overflow-x: hidden; }
    #details { height: 1fr; border-left: solid ansi_bright_black; padding: 0 1; scrollbar-size-vertical: 1; }
    #sessions:focus { background-tint: transparent; }
    #details:focus { border-left: solid ansi_blue; }
    #search { dock: bottom; height: 1; border: none; padding: 0 1; }
    Question, Reading { align: center middle; background: transparent; }
    .dialog { width: auto; max-width: 90%; height: auto; max-height: 90%; padding: 0 1; }
    .dialog { border: round ansi_blue; background: ansi_default; }
    .dialog Static { width: auto; max-width: 100%; }
    .reading { width: 90%; }
    .reading VerticalScroll { height: auto; max-height: 1fr; }
    .title { text-style: bold; }
    .hint { text-style: dim; margin-top: 1; }
    .buttons { height: auto; width: auto; margin-top: 1; }
    .buttons Button { margin-right: 2; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "resume", "Resume"),
        Binding("p", "command('pause')", "Pause"),
        Binding("c", "command('close')", "Close"),
        Binding("s", "sweep", "Sweep"),
        Binding("d", "drift", "Drift"),
        Binding("slash", "search", "Search"),
        Binding("question_mark", "help", "Help"),
        Binding("q,ctrl+c", "quit", "Quit"),
        Binding("escape", "all", "All", show=False),
    ]

    def __init__(self, board: "Board", rows: "Sequence[Row]") -> None:
        self._environment = dict(os.environ)  # Textual removes NO_COLOR from that of this process
        super().__init__(ansi_color=True)
        self.theme = "ansi-dark"  # the terminal's own colours, whether they are dark or light
        self.animation_level = "none"
        self._board, self._rows = board, rows
        self._reader = ThreadPoolExecutor(1)
        self._sought, self._found = "", set[str]()
        self._shown = ""  # the key of the session at the right
        self.failure: Exception | None = None  # what ended the application

    def compose(self) -> "ComposeResult":
        """Yield the parts of the screen."""
        yield Static(id="top", markup=False)
        with Horizontal():
            yield SessionList()
            with VerticalScroll(id="details"):
                yield Static(id="session", markup=False)
        yield Static(id="note", markup=False)
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Show what was read before the first picture, and read the rest after it."""
        self.screen.set_focus(self._list)  # at once: keys that were typed meanwhile come next
        self._show()
        self.call_after_refresh(partial(self._work, "follow", self._follow))

    def _handle_exception(self, error: Exception) -> None:
        """Leave the screen; the command reports the error, where Textual would print a traceback."""
        self.failure = self.failure or error
        self.exit()

    def on_unmount(self) -> None:
        """End the thread that reads."""
        self._reader.shutdown(wait=False, cancel_futures=True)

    def _work(self, group: str, work: "Callable[[], Coroutine[None, None, None]]") -> "Worker[None]":
        """Do something while keys are read; what was begun in the same group before is given up."""
        return self.run_worker(work, group=group, exclusive=True)

    @property
    def _list(self) -> SessionList:
        return self.screen_stack[0].query_one(SessionList)

    async def _ask(self, question: "Callable[Asked, Answer]", *arguments: "Asked.args") -> "Answer":  # type: ignore[valid-type]
        """Return the answer of the board, which one thread reads."""
        return await asyncio.get_running_loop().run_in_executor(self._reader, partial(question, *arguments))

    async def _follow(self) -> None:
        """Read all sessions, and then what changes."""
        await self._read()
        for number in itertools.count(1):
            await asyncio.sleep(_PAUSE)
            rows = await self._ask(self._board.look, self._shown)
            if rows is not None:
                self._rows = rows
                self._show()
            elif number % _AGES == 0:
                self._list.refresh()

    async def _read(self) -> None:
        """Read all sessions again."""
        self._rows = await self._ask(self._board.read)
        notes = await self._ask(self._board.notes)
        self._note("; ".join(notes))
        self._show()

    def _show(self) -> None:
        """Show the rows, those that were found during a search."""
        rows = [row for row in self._rows if row.key in self._found] if self._sought else self._rows
        self.query_one("#top", Static).update(f"holdfast: {lines.summary(rows, self._sought)}")
        self._list.show(rows)

    def _note(self, text: str) -> None:
        note = self.screen_stack[0].query_one("#note", Static)
        note.update(text)
        note.set_class(bool(text), "shown")

    def on_session_list_selected(self) -> None:
        """Show the selected session at the right."""
        self._work("details", self._show_details)

    async def _show_details(self) -> None:
        row = self._list.selected
        details = await self._ask(self._board.details, row.key) if row else None
        pane = self.screen_stack[0].query_one("#details", VerticalScroll)
        text = pane.query_one("#session", Static)
        if details is None:
            text.update("")
            return
        from holdfast.cli.board import panes

        if self._shown != details.key:
            pane.scroll_home(animate=False)
        self._shown = details.key
        text.update(panes.drawn(details, pane.scrollable_content_region.width))

    def on_session_list_opened(self) -> None:
        """Resume the session that was double-clicked."""
        self.action_resume()

    def on_resize(self) -> None:
        """Draw the selected session for the new width."""
        if self._shown:
            self.on_session_list_selected()

    def action_resume(self) -> None:
        """Resume the selected session in this terminal."""
        self._begin(self._resume)

    def action_command(self, name: str) -> None:
        """Run a command for the selected session, after a question."""
        self._begin(partial(self._command, name))

    def action_drift(self) -> None:
        """Show what happened that the selected session's state file does not say."""
        self._begin(self._drift)

    def action_sweep(self) -> None:
        """Show the silent open work of the session's project."""
        self._begin(self._sweep)

    def _begin(self, work: "Callable[[Row], Coroutine[Any, Any, None]]") -> None:
        """Do something with the selected session, unless something is being done."""
        row = self._list.selected
        if row and len(self.screen_stack) == 1:
            self._work("work", partial(self._guarded, work, row))

    async def _guarded(self, work: "Callable[[Row], Coroutine[Any, Any, None]]", row: "Row") -> None:
        try:
            await work(row)
        except (HoldfastError, OSError) as error:
            await self._read_out(row.title, str(error))

    async def _resume(self, row: "Row") -> None:
        resumption = await self._ask(self._board.resumption, row.key)
        if resumption.problem:
            await self._read_out(row.title, resumption.problem)
            return
        if resumption.live and not await self._answer("It is live: this opens it a second time. Resume it?"):
            return
        program = lines.client_program(resumption, self._environment)
        with self.suspend():
            lines.run_client(resumption, program, self._environment)
        self.refresh(layout=True)
        await self._read()

    async def _command(self, name: str, row: "Row") -> None:
        if await self._answer(f"{name.capitalize()} “{row.title}”?"):
            await self._report([name, row.ident])
            await self._read()

    async def _drift(self, row: "Row") -> None:
        await self._report(["drift", row.ident])

    async def _sweep(self, _row: "Row") -> None:
        await self._report(["sweep"])

    async def _report(self, words: list[str]) -> None:
        """Run a command, and show exactly what it reports."""
        size = max(20, self.size.width * 9 // 10 - _ROOM[0]), max(5, self.size.height * 9 // 10 - _ROOM[1])
        work = partial(lines.printed, self._board.project.root, words, size, self._environment)
        _, text = await asyncio.get_running_loop().run_in_executor(None, work)
        await self._read_out(f"holdfast {' '.join(words)}", text)

    async def _answer(self, question: str) -> bool:
        answer: bool = await self.push_screen_wait(Question(question))
        return answer

    async def _read_out(self, title: str, text: str) -> None:
        await self.push_screen_wait(Reading(title, text))

    def action_help(self) -> None:
        """Show what the keys do."""
        self.push_screen(Reading("Keys", "\n".join(f"{key:<6} {about}" for key, about in lines.KEYS)))

    async def action_search(self) -> None:
        """Ask for words, and show the sessions that have them."""
        from textual.widgets import Input

        known = self.query("#search")
        if not known:
            words = "Search all that was asked, answered and decided"
            await self.mount(Input(placeholder=words, id="search", compact=True))
        self.screen.set_focus(self.query_one("#search"))  # at once: `focus` would wait for the next keys

    def on_key(self, event: "events.Key") -> None:
        """Give the search line a character that was typed, or pasted, before it had the focus."""
        line = self.focused
        if line and line.id == "search" and event.character and event.is_printable:
            event.prevent_default()  # it is no command
            line.insert_text_at_cursor(event.character)  # type: ignore[attr-defined] # it is an `Input`

    def on_input_changed(self, event: "Input.Changed") -> None:
        """Search for what is typed."""
        self._work("search", partial(self._search, event.value.strip()))

    def on_input_submitted(self) -> None:
        """Go to the list of what was found."""
        self._list.focus()

    async def _search(self, words: str) -> None:
        await asyncio.sleep(_SETTLED)
        self._sought = words
        if words:
            self._found = await self._ask(self._board.find, words)
        self._show()

    async def action_all(self) -> None:
        """End a search."""
        await self.query("#search").remove()
        self._list.focus()
        if self._sought:
            self._sought = ""
            self._show()


class Question(ModalScreen[bool]):
    """A question that is answered with y or n; Escape is n."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes"),
        Binding("n,escape,q", "answer(False)", "No"),
    ]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> "ComposeResult":
        """Yield the question, and two buttons for the mouse."""
        with Vertical(classes="dialog"):
            yield Static(self._text, markup=False)
            with Horizontal(classes="buttons"):
                yield Button("Yes (y)", id="yes", compact=True)
                yield Button("No (n)", id="no", compact=True)

    def on_mount(self) -> None:
        """Let Enter mean no, so that nothing happens by mistake."""
        self.query_one("#no").focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answer by a button."""
        self.dismiss(event.button.id == "yes")

    def action_answer(self, yes: bool) -> None:  # noqa: FBT001 - the form of Textual's actions
        """Answer by a key."""
        self.dismiss(yes)


class Reading(ModalScreen[None]):
    """A text, which any of the usual keys closes."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter,question_mark,d", "close", "Close")]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title, self._text = title, text

    def compose(self) -> "ComposeResult":
        """Yield the text, which scrolls."""
        with Vertical(classes="dialog reading"):
            yield Static(self._title, classes="title", markup=False)
            with VerticalScroll():
                yield Static(self._text, markup=False)
            yield Static("Escape closes this.", classes="hint", markup=False)

    def action_close(self) -> None:
        """Close it."""
        self.dismiss()
