"""What the board shows above its list: a question, or a text to read."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Static

TYPE_CHECKING = False
if TYPE_CHECKING:
    from textual.app import ComposeResult


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
