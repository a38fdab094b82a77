"""The two documents beside the hub as bytes: what an activity makes of the plan and of the user context."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holdfast.core.errors import HoldfastError
from holdfast.hub import companions, validation
from holdfast.hub.companions import Activity

if TYPE_CHECKING:
    from pathlib import Path

AT, BEFORE = "2026-03-02 10:40 UTC", "2026-03-01 09:00 UTC"
LINE = f"{AT}: Tests - Check (`t-1`), active"
OLD = f"{BEFORE}: Git - Ship (`g-1`), completed"
HEAD = "# User\n\n## Last Activity\n"
# The user context before, and after; {} is where the new line stands.
USERS = {
    "our own line": (f"{HEAD}\n{OLD}\n\nMara, too.\n", f"{HEAD}\n{{}}\n\nMara, too.\n"),
    "our own line, wrapped": (f"{HEAD}\n{OLD.replace(' (', chr(10) + '(')}\n", f"{HEAD}\n{{}}\n"),
    "a line right under ours": (f"{HEAD}\n{OLD}\nMara, too.\n", f"{HEAD}\n{{}}\nMara, too.\n"),
    "a time and words": (f"{HEAD}{BEFORE}: looked at it\n", f"{HEAD}{{}}\n"),
    "none": (f"{HEAD}\nNone.\n\n## Next\n", f"{HEAD}\n{{}}\n\n## Next\n"),
    "nothing yet": (f"{HEAD}\n*nothing yet*", f"{HEAD}\n{{}}"),
    "a placeholder": (f"{HEAD}\n[to be filled]\n", f"{HEAD}\n{{}}\n"),
    "a person's words": (f"{HEAD}\nAsk Mara.\n", f"{HEAD}\n{{}}\n\nAsk Mara.\n"),
    "a person's words right under the title": (f"{HEAD}Ask Mara.\n", f"{HEAD}\n{{}}\n\nAsk Mara.\n"),
    "a person's list": (f"{HEAD}- a\n- b\n", f"{HEAD}\n{{}}\n\n- a\n- b\n"),
    "an empty section": (f"{HEAD}## Next\nx\n", f"{HEAD}\n{{}}\n\n## Next\nx\n"),
    "an empty section at the end": (HEAD, f"{HEAD}\n{{}}\n"),
    "words of the section within": (f"{HEAD}\n### Mood\nNone.\n", f"{HEAD}\n{{}}\n\n### Mood\nNone.\n"),
    "a title with its colon": ("# User\n\n## Last activity:\n\nNone\n", "# User\n\n## Last activity:\n\n{}\n"),
    "a title that says it": ("# User\n\n## Last Activity: long ago\n", "# User\n\n## Last Activity: {}\n"),
    "a label": ("# User\n\n- **Last Activity:** long ago\n", "# User\n\n- **Last Activity:** {}\n"),
    "neither": ("# User\nName: J\n", "# User\n\n**Last Activity:** {}\n\nName: J\n"),
    "line ends of Windows": ("# User\r\nName: J\r\n", "# User\r\n\r\n**Last Activity:** {}\r\n\r\nName: J\r\n"),
}


def activity(ident: str = "t-1", title: str = "Tests - Check", status: str = "active", time: str = AT) -> Activity:
    """Return what was done."""
    return Activity(ident, title, status, time)


@pytest.mark.parametrize(("before", "after"), USERS.values(), ids=USERS)
def test_the_last_activity(before: str, after: str) -> None:
    """It is in the place that the document has for it, once, and what a person wrote there stays."""
    reported = companions.active(before.encode(), activity())
    assert reported.decode() == after.format(LINE)
    assert companions.active(reported, activity()) == reported
    later = companions.active(reported, activity(time="2026-03-03 10:40 UTC"))
    assert later.decode() == after.format(LINE.replace(AT, "2026-03-03 10:40 UTC"))


def test_two_sections_of_the_last_activity_are_left() -> None:
    """Nobody knows which one counts."""
    with pytest.raises(HoldfastError, match="2 sections Last Activity; keep one of them"):
        companions.active((HEAD + "\n## Last Activity\n").encode(), activity())


TABLE = """\
# Plan

## Sessions
| Session ID | What | Status |
|---|---|:---:|
| `g-1` | Ship | active |
| **t-1** | Check | {} |

- t-1 is Mara's
"""
NAMED = TABLE.replace("Session ID", "session").replace("**t-1**", "Tests (t-1)")
BULLET = f"- [ ] Tests - Check (`t-1`) - active, {AT}\n"
# The plan before, and after an activity that is active.
PLANS = {
    "a row": (TABLE.format("🟢 planned"), TABLE.format("active")),
    "a row, named": (NAMED.format("completed"), NAMED.format("active")),
    "a row that says so": (TABLE.format("active"), TABLE.format("active")),
    "an empty cell": (TABLE.format(" "), TABLE.format("active")),
    "a table without a status": (TABLE.replace("Status", "Mood").format(":-)"),) * 2,
    "no row": (
        TABLE.format("x").replace("t-1", "t-12").replace("\n- t-12 is Mara's\n", ""),
        TABLE.format("x").replace("t-1", "t-12").replace("- t-12 is Mara's\n", BULLET),
    ),
    "a table of something else": (
        "# Plan\n\n| Part | Status |\n|---|---|\n| t-1 | x |\n",
        f"# Plan\n\n| Part | Status |\n|---|---|\n| t-1 | x |\n\n## Sessions\n\n{BULLET}",
    ),
    "a title": ("# Plan\n## Sessions\n## Next\nx\n", f"# Plan\n## Sessions\n\n{BULLET}\n## Next\nx\n"),
    "nothing but a title": ("# Plan\n", f"# Plan\n\n## Sessions\n\n{BULLET}"),
    "no final newline": ("# Plan", f"# Plan\n\n## Sessions\n\n{BULLET}".rstrip("\n")),
}


@pytest.mark.parametrize(("before", "after"), PLANS.values(), ids=PLANS)
def test_the_plan(before: str, after: str) -> None:
    """The status cell of the session's row is set; without a row there is a line, a blank line away from any title."""
    reported = companions.planned(before.encode(), activity())
    assert reported.decode() == after
    assert companions.planned(reported, activity()) == reported


@pytest.mark.parametrize(
    ("text", "why"),
    [(TABLE.replace("`g-1`", "t-1"), "t-1 is on lines 6, 7; name it on one only")],
)
def test_a_plan_that_is_left(text: str, why: str) -> None:
    """What cannot be distinguished stays as it is."""
    with pytest.raises(HoldfastError, match=why):
        companions.planned(text.encode(), activity())


@pytest.mark.parametrize(
    ("there", "found"),
    [([], []), ([".genie"], []), ([".agents"], []), ([".agents", ".genie"], [".genie/SESSION-STATE.md"])],
)
def test_a_second_hub_is_one_beside_the_first(tmp_path: Path, there: list[str], found: list[str]) -> None:
    """Where the first is not there, no other contradicts it."""
    for folder in there:
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "SESSION-STATE.md").touch()
    assert validation.others(f"{tmp_path}/.agents/SESSION-STATE.md") == found
