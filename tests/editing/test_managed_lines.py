"""The lines of a section that holdfast words itself are set, put in and taken out; a person's stay as they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.editing.requests import ManagedLines, Request
from holdfast.memory import available_actions
from tests.hazards import shapes
from tests.support import edits
from tests.support.edits import make, within

ACTIONS = "Available Actions"
GO, STOP = "- `/holdfast:continue` - Continue working on TASK-001", "- `/holdfast:pause` - Pause session and save state"
DONE, SHUT = (
    "- `/holdfast:complete-task` - Mark TASK-001 complete",
    "- `/holdfast:close-loop [ID]` - Mark loop 4 resolved",
)
OLD = "- `/continue` - Continue current task"
MINE = "- `/deploy` - To the test host"
TYPE, AWAIT = "**Type action or respond directly**", "**AWAITING: Approve, reject, or edit PLAN-001**"
CORE = f"**Core:**\n{GO}\n{STOP}\n"
MORE = f"**Contextual:**\n{DONE}\n"
WHOLE = f"{CORE}\n{MORE}\n{TYPE}\n"
FEW = f"{CORE}\n{TYPE}\n"


def menu(text: str = WHOLE) -> Request:
    """Return the wish for these lines of the section."""
    return Request(
        (ACTIONS,), managed_lines=ManagedLines(text.splitlines(), available_actions.key, available_actions.command)
    )


FENCE = f"```\n{OLD}\n\n- `/pause` - x\n**Core:**\n```\n"
HIDDEN = f"<!--\n{OLD}\n-->\n\n> {OLD}\n> **Core:**\n\n    {OLD}\n"

KEPT = [
    pytest.param(WHOLE, menu(), WHOLE, id="all as wanted"),
    pytest.param("", menu(), f"{WHOLE}\n", id="an empty section"),
    pytest.param("*None yet*\n", menu(), WHOLE, id="a placeholder"),
    pytest.param(WHOLE, menu(FEW), FEW, id="all its own, fewer"),
    pytest.param(f"{TYPE}\n{GO}\n{GO}\n**Core:**\n", menu(FEW), FEW, id="all its own, twice and in no order"),
    pytest.param(WHOLE.replace(GO, OLD), menu(), WHOLE, id="another text"),
    pytest.param(f"{WHOLE}\n{MINE}\n", menu(), f"{WHOLE}\n{MINE}\n", id="a person's below"),
    pytest.param(
        f"Words.\n\n{WHOLE.replace(GO, f'{MINE}{chr(10)}{OLD}{chr(10)}- mine')}",
        menu(),
        f"Words.\n\n{WHOLE.replace(GO, f'{MINE}{chr(10)}{GO}{chr(10)}- mine')}",
        id="set among a person's",
    ),
    pytest.param("Words.\n", menu(), f"Words.\n\n{WHOLE}", id="words alone"),
    pytest.param(f"Words.\n{STOP}\n", menu(CORE), f"Words.\n\n{CORE}", id="words right above"),
    pytest.param(f"Words.\n\n{TYPE}\n", menu(), f"Words.\n\n{WHOLE}", id="words, and how it closes"),
    pytest.param(
        f"**Core:**\nwords\n{GO}\n", menu(CORE), f"**Core:**\nwords\n{GO}\n{STOP}\n", id="words below a label"
    ),
    pytest.param(
        f"**Core:**\n{GO}\n  - mine\n\n  words\n\n{TYPE}\n",
        menu(FEW),
        f"**Core:**\n{GO}\n  - mine\n\n  words\n{STOP}\n\n{TYPE}\n",
        id="after what is below an item",
    ),
    pytest.param(
        f"{CORE}- mine\n\n{TYPE}\n", menu(), f"{CORE}- mine\n\n{MORE}\n{TYPE}\n", id="a label after a person's items"
    ),
    pytest.param(
        f"**Core:**\n{GO}\n{STOP}\n{TYPE}\n- mine\n",
        menu(),
        f"{CORE}\n{MORE}\n{TYPE}\n- mine\n",
        id="a label before what is right below",
    ),
    pytest.param(
        f"{CORE}\n* mine\n\n1. mine, too\n\n{TYPE}\n",
        menu(CORE.replace(STOP, f"{STOP}\n{SHUT}") + f"\n{TYPE}\n"),
        f"{CORE}{SHUT}\n\n* mine\n\n1. mine, too\n\n{TYPE}\n",
        id="lists of a person",
    ),
    pytest.param(
        f"{WHOLE}\n- mine\n", menu(WHOLE.replace(TYPE, AWAIT)), f"{WHOLE}\n- mine\n".replace(TYPE, AWAIT), id="closing"
    ),
    pytest.param(f"{WHOLE}Words.\n", menu(FEW), f"{FEW}Words.\n", id="a label goes with its items and one gap"),
    pytest.param(f"{MORE}\nWords.\n", menu(f"{GO}\n"), f"Words.\n\n{GO}\n", id="the first lines go"),
    pytest.param(f"{GO}\n\nWords.\n\n{MORE}", menu(f"{GO}\n"), f"{GO}\n\nWords.\n", id="the last lines go"),
    pytest.param(f"- mine\n{DONE}\nwords\n", menu(f"{TYPE}\n"), f"- mine\n\nwords\n\n{TYPE}\n", id="words stay apart"),
    pytest.param(
        f"{CORE}\n{MORE}- mine\n\n{TYPE}\n",
        menu(FEW),
        f"{CORE}\n**Contextual:**\n- mine\n\n{TYPE}\n",
        id="a label of a person's items",
    ),
    pytest.param(
        f"{CORE}\n{MORE}  - ask Mara\n{SHUT}\n\n{TYPE}\n",
        menu(FEW),
        f"{CORE}\n{MORE}  - ask Mara\n\n{TYPE}\n",
        id="an item with a person's below",
    ),
    pytest.param(
        f"{CORE}\n{MORE.replace('001', '000')}  - ask Mara\n\n{TYPE}\n",
        menu(),
        f"{CORE}\n{MORE}  - ask Mara\n\n{TYPE}\n",
        id="set above a person's",
    ),
    pytest.param(
        WHOLE.replace("session and save state", "only on Fridays"),
        menu(),
        WHOLE.replace("session and save state", "only on Fridays"),
        id="a person's words for it",
    ),
    pytest.param(
        f"{FEW}\n- `/pause` - only on Fridays\n",
        menu(FEW),
        f"{FEW}\n- `/pause` - only on Fridays\n".replace(f"{STOP}\n", ""),
        id="a person's words beside it",
    ),
    pytest.param(
        "- **Core:**\n  - `/continue` - go\n  - `/pause` - stop\n",
        menu(CORE),
        "- **Core:**\n  - `/continue` - go\n  - `/pause` - stop\n",
        id="a person's own menu",
    ),
    pytest.param(
        f"**Core:**  \n{GO}\t\n{STOP}\n\nWords.\n", menu(CORE), f"**Core:**  \n{GO}\t\n{STOP}\n\nWords.\n", id="blanks"
    ),
    pytest.param(f"{WHOLE}\n{FENCE}", menu(), f"{WHOLE}\n{FENCE}", id="a fence with the same lines"),
    pytest.param(f"{FENCE}", menu(), f"{FENCE}\n{WHOLE}", id="a fence alone"),
    pytest.param(
        f"**Core:**\n{FENCE}\n{TYPE}\n", menu(FEW), f"**Core:**\n{FENCE}\n{GO}\n{STOP}\n\n{TYPE}\n", id="below a fence"
    ),
    pytest.param(
        f"- mine\n\n  ```\n  {OLD}\n  - `/pause` - x\n  ```\n\n{TYPE}\n",
        menu(FEW),
        f"- mine\n\n  ```\n  {OLD}\n  - `/pause` - x\n  ```\n\n{FEW}",
        id="a fence in an item",
    ),
    pytest.param(f"{HIDDEN}\n{WHOLE}", menu(), f"{HIDDEN}\n{WHOLE}", id="a comment, a quote, code"),
    pytest.param(HIDDEN, menu(FEW), f"{HIDDEN}\n{FEW}", id="a comment, a quote, code alone"),
    pytest.param(f"{FEW}\n### Mine\n\n{OLD}\n{GO}\n", menu(), f"{WHOLE}\n### Mine\n\n{OLD}\n{GO}\n", id="a subsection"),
    pytest.param(f"### Mine\n\n{OLD}\n", menu(FEW), f"{FEW}\n### Mine\n\n{OLD}\n", id="a subsection alone"),
]


@pytest.mark.parametrize(("text", "want", "expected"), KEPT)
def test_its_lines_become_what_is_wanted(text: str, want: Request, expected: str) -> None:
    """What holdfast words is set, put where it belongs, or taken out; a person's lines stay what and where they are."""
    for end in ("\n", "\r\n"):
        assert within(ACTIONS, text.replace("\n", end), want, end=end) == (expected.replace("\n", end), [])


@pytest.mark.parametrize("again", [OLD, GO, "**Core:**"])
def test_what_stands_twice_among_a_persons_is_refused(again: str) -> None:
    """It is not known which of two a person put there; neither goes, none comes, and the reason is reported."""
    text = f"{FEW}\n- mine\n{again}\n"
    after, problems = within(ACTIONS, text, menu())
    assert after == text
    assert len(problems) == 1
    assert "appears twice in its section, on lines " in problems[0]
    assert problems[0].endswith(" and 18; keep one of them")


def test_what_would_not_be_known_again_is_refused() -> None:
    """A line that its own rule does not know would be added each time, and is not."""
    text = f"{FEW}\n- mine\n"
    after, problems = within(ACTIONS, text, menu(f"{FEW}{MINE}\n"))
    assert (after, problems) == (text, [f"{MINE!r} would not be recognised as holdfast's own line again"])


def test_lines_come_and_go_without_a_trace() -> None:
    """What comes and goes with the state leaves no blank line behind, however often."""
    text = f"Words.\n\n{FEW}\nMore words.\n"
    more = within(ACTIONS, text, menu())[0]
    assert more == f"Words.\n\n{WHOLE}\nMore words.\n"
    assert within(ACTIONS, more, menu(FEW))[0] == text


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("last", ["", "\n"], ids=["no end", "an end"])
@pytest.mark.parametrize(
    ("before", "after"), [(f"{FEW}\n- mine", f"{WHOLE}\n- mine"), ("Words.", f"Words.\n\n{WHOLE}".rstrip("\n"))]
)
def test_at_the_end_of_a_file(before: str, after: str, last: str, end: str) -> None:
    """The last line has an end where it had one, and one that another line follows gets one."""
    data, wanted = (f"{edits.BEFORE}## {ACTIONS}\n\n{text}{last}".replace("\n", end) for text in (before, after))
    assert make(data.encode(), menu()).data.decode() == wanted


def test_the_bytes_of_a_person() -> None:
    """Ends of lines of several kinds and signs that other programs take for such stay in a person's lines."""
    mine = "a\x0cb\u2028c\x85d\r\n\te\n"
    after, problems = within(ACTIONS, f"{mine}\n{FEW}\r\n{mine}", menu())
    assert (after, problems) == (f"{mine}\n{WHOLE}\r\n{mine}", [])


@pytest.mark.parametrize("mine", [b"- mine \xff\xfe\n", b"- mine\x00 \xe2\x82\n"])
def test_what_is_not_text_in_a_persons_line(mine: bytes) -> None:
    """Bytes that are not UTF-8, or no text at all, stay in a person's line."""
    before, after = (f"{edits.BEFORE}## {ACTIONS}\n\n{text}\n".encode() + mine for text in (FEW, WHOLE))
    assert make(before, menu()).data == after


def test_a_change_is_reported() -> None:
    """The outcome has the line, what stood there, and what is there now."""
    data = f"{edits.BEFORE}## {ACTIONS}\n\n{FEW.replace(GO, OLD)}\n- mine\n".encode()
    (change,) = make(data, menu()).changes
    assert (change.where, change.line) == (ACTIONS, 11)
    assert (change.old, change.new) == (OLD, f"{GO}; **Contextual:**; {DONE}")


SHAPES = [
    *(shapes.AGENTS, shapes.FLAT, shapes.N5, shapes.V1, shapes.GSD, shapes.GSD_LITE, shapes.CONTINUITY),
    *(shapes.MEMORY, shapes.CLAUDE, shapes.HANDOFF),
]


@pytest.mark.parametrize("text", [text for _, text in SHAPES], ids=[name for name, _ in SHAPES])
def test_in_any_file(text: str) -> None:
    """The section is begun in a file of any shape and brought up to date there; all else stays as it is."""
    begun = make(text.encode(), menu(FEW)).data.decode()
    assert all(line in begun.splitlines() for line in text.splitlines())
    assert begun.count(FEW) == 1
    assert make(begun.encode(), menu()).data.decode() == begun.replace(FEW, WHOLE)
    person = begun.replace(STOP, f"{STOP}\n{MINE}")
    assert make(person.encode(), menu()).data.decode() == person.replace(f"\n{TYPE}", f"\n{MORE}\n{TYPE}")


PLACEHOLDERS = ["*None yet*", "- TBD"]
LINES = st.sampled_from(
    [
        *("", "", "", "**Core:**", "**Contextual (old):**", TYPE, AWAIT, GO, OLD, STOP, DONE, SHUT, f"{GO}  "),
        *("- `/pause` - Only on Fridays", "  - `/pause` - below", MINE, "- [ ] mine", "* mine", "1. mine", "words"),
        *("  more words", "    code", "```", "> quoted", f"> {GO}", "<!-- c -->", "<!--", "-->", "---", "| a | b |"),
        *("**Mine:**", *PLACEHOLDERS, "a\x0cb", "a\u2028b"),
    ]
)


@given(st.lists(LINES, max_size=12), st.sampled_from([WHOLE, FEW, CORE, MORE]), st.sampled_from(["\n", "\r\n"]))
def test_lines_of_people_stay(lines: list[str], wanted: str, end: str) -> None:
    """In any file a person's lines stay in their order, and the requested lines are there, or a reason is reported.

    Where a person words a command himself, his words stand for it.
    """
    text = "".join(line + end for line in lines)
    after, problems = within(ACTIONS, text, menu(wanted), end=end)
    if problems:
        assert after == text
        return
    mine = [
        line for line in lines if line.strip() and not available_actions.key(line.rstrip()) and line not in PLACEHOLDERS
    ]
    rest = iter(after.split(end))
    assert [line for line in mine if line not in rest] == []
    stated = {available_actions.command(line.strip()) for line in lines if line not in {GO, OLD, STOP, DONE, SHUT}}
    items = [
        line for line in wanted.splitlines() if line.startswith("-") and available_actions.command(line) not in stated
    ]
    assert all(line in (found.rstrip() for found in after.split(end)) for line in items)
