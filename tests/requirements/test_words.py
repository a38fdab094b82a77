"""What a person types is one text, with or without quotes around it, and is kept whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.requirements.support_gsd import asked, own, worked
from tests.support import hooks

if TYPE_CHECKING:
    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
WORDS = "Use Decimal (not float) for a_b * **c** [x](y) #3 | tax (net)"

COMMANDS = {
    "start": [("start",)],
    "task add": [("task", "add")],
    "task start": [("task", "start")],
    "task skip": [("task", "skip")],
    "plan propose": [("plan", "propose")],
    "plan edit": [("plan", "propose", "Split it"), ("plan", "edit")],
    "plan reject": [("plan", "propose", "Split it"), ("plan", "reject")],
    "plan approve": [("plan", "propose", WORDS), ("plan", "approve")],
    "discuss": [("discuss",)],
    "loop add": [("loop", "add")],
    "loop draft": [("loop", "draft")],
    "phase skip-to": [("phase", "skip-to", "4")],
}


@pytest.mark.parametrize("quoted", [True, False], ids=["quoted", "in words"])
@pytest.mark.parametrize("steps", COMMANDS.values(), ids=COMMANDS)
def test_words_are_one_text_and_kept_whole(prepared: Project, steps: list[tuple[str, ...]], *, quoted: bool) -> None:
    """Quotes are not needed, and brackets, stars and bars are kept."""
    worked(prepared)
    for step in steps[:-1]:
        own(prepared, *step)
    given = [] if steps[-1] == ("plan", "approve") else [WORDS] if quoted else WORDS.split()
    reply = asked(prepared, *steps[-1], *given)
    assert reply.code == 0, reply
    kept = [path.read_text() for path in prepared.root.rglob("*.md")]
    plain = [text.replace("\\", "") for text in [reply.out, *kept]]
    assert [text for text in plain if WORDS in text]
