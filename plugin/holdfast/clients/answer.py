"""What holdfast says to one event, before a client's module writes it in the shape that its client reads."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_VERDICTS = ("", "ask", "deny")  # the stricter one comes later


class Answer:
    """An answer. Each text is "" if there is nothing to say; the client's module leaves out what its client lacks.

    - context: a text for the model, which has its fence already. title: the session's title. message: for the user.
    - verdict, reason: whether a tool call may happen: "ask" shows the user the reason, "deny" shows it to the model.
    - steering: a text for the summariser of a compaction.
    - block: why a compaction or a slash command is stopped; the user reads it, and the model never does.
    """

    __slots__ = ("block", "context", "message", "reason", "steering", "title", "verdict")

    def __init__(  # noqa: PLR0913 - each part has its name where it is given
        self,
        *,
        context: str = "",
        title: str = "",
        message: str = "",
        verdict: str = "",
        reason: str = "",
        steering: str = "",
        block: str = "",
    ) -> None:
        self.context, self.title, self.message = context, title, message
        self.verdict, self.reason = verdict, reason
        self.steering, self.block = steering, block


def merged(answers: "Sequence[Answer]") -> "Answer | None":
    """Return the answers to the parts of one event as one, None for no answers. The strictest verdict counts."""
    if len(answers) < 2:
        return answers[0] if answers else None
    strictest = max((each.verdict for each in answers), key=_VERDICTS.index)
    return Answer(
        context=_together(each.context for each in answers),
        message="\n".join(dict.fromkeys(each.message for each in answers if each.message)),
        verdict=strictest,
        reason=_together(each.reason for each in answers if each.verdict == strictest),
    )


def _together(texts: "Iterable[str]") -> str:
    """Return different texts as paragraphs of one."""
    return "\n\n".join(dict.fromkeys(text for text in texts if text))
