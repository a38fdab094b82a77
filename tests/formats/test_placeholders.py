"""What is not filled in yet, and what only looks like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.formats import names

# One a line, and those that are on several.
OPEN = """
TBD
tbd
TBA
TBD.
- TBD
TBD by Friday
Which host: TBD
Load tests (TBD)
Owner - tbd
*TBD*
**TBD**
`TBD`
TODO
to be determined
To be filled in
Not filled in
None yet
None yet.
**None yet**
Nothing yet
None so far
Fill in
…
...
???
____
[bracketed]
[Title]
**[Title]**
[What happens now.]
[to be filled]
Session: [Title]
Stage 1: [Name] (ACTIVE)
[Role] - [Task]
[Role Name] (child of [Other Role])
[Other Role] (ab12)
[kind-of-work-name] (id), [kind-of-work-name] (id)
Agent - [work-description]
[N] questions are open
[X] of [Y]
[A] of [B] in current phase
[Number] - [Name]
Phase [Number]
[2-3 sentences]
Done by [your name]
{{title}}
Work on {{feature}} goes on
<angle>
<Agent Name> - <Purpose>
`<session_id>`
<ISO time>
YYYY-MM-DD
YYYY-MM-DD HH:MM UTC
Started YYYY-MM-DD
*Last updated: YYYY-MM-DD*
YYYY-MM-DD - What came
YYYYMMDD-HHMMSS
[YYYY-MM-DD]
YYYY-MM-DD HH:MM - [Agent/Action]
con_XXX
con_XXXXXXXX
Item 1
✅ Item 1
- Item 2
Criterion 1
Criterion one
Question 1?
Action 3
Decision x
*What is this about?*
_Why now?_
<!-- what this is about -->
active | paused | completed
in_progress|paused|completed
Planning | Blocked | Complete
""".strip().splitlines()
OPEN += ["[A sentence\nof two lines.]", "*Which files\nare in use?*"]
ANSWERS = """
-
N/A
n/a
N/A (quick task)
None
none
None.
- None
No blockers
Nothing
Not yet
[guide](guide.md)
[guide][ref]
see [ref] for it
[ref]
[^1]
as in [1]
![shot](a.png)
[[wiki]]
[x] done
[ ] open
[→]
[→] Sort the rows
[->] x
[~]
[Phase 01]: one table
[Phase 01]
[1.2.0]
[v1.2.0] - 2026-01-01
[Unreleased]
[ABC-12]
[#12]
[notes.md]
[10m, 5m, 5m]
[WIP]
[sic]
[date] filter removed
[2026-01-02 10:00]
[2026-01-02 10:00] session(start): === SESSION STARTED === (session c54eb5e1)
[10:15] Started
[x] (since May)
the link [to the docs](docs.md) (draft)
Waits for [Anna]
[BUG] [DB] - Mend the index
the page app/[id]/page.tsx
[ ]
[2026-01-02 10:00 ET] Go on
**[2026-01-02 10:00 ET]** Go on
[████░░] 40%
[###-] 75%
List[int]
{code}
the macro {code} stays
`{{ x }}` renders
${{ secrets.KEY }}
a Option<T> in `Vec<u8>`
a<b and c>d
<br>
<details>
<details open>
<b>bold</b>
<https://example.org>
<someone@example.org>
</div>
someone@example.org
Run gh run view <run-id>
Names such as YYYY-MM-DD are sorted
Remove all TBD marks there
Task 3
Phase 2
Item 12 of the list stays
Decision 12 holds
todo list is done
What next?
Is it fast?
*important*
*Free remarks*
**Why** it fails
Python | SQL | Rust
done | 3 files
40%
pending
✅
a <!-- remark --> b
Action required by Friday
con_7Qm2XvLt9RkAe4Wd
5 … 7
Wait... what
""".strip().splitlines()
ANSWERS += ["", " \n"]
SAMPLES = frozenset(map(names.plain, ["What was decided", "Why", "Background for newcomers.", "Where it is (now)"]))
SAMPLED = [
    ("What was decided", True),
    ("**What was decided**", True),
    ("- Why", True),
    ("Background for newcomers.\n\nWhy?", True),
    ("Background for newcomers.\nThe disk is full.", False),
    ("Where it is", True),
    ("Why it failed", False),
    ("", False),
]


def test_what_is_to_be_filled_in() -> None:
    """Every way of leaving an answer open is known, with blanks around it too."""
    assert [text for text in OPEN if not names.is_placeholder(text)] == []
    assert [text for text in OPEN if not names.is_placeholder(f"  {text}\n")] == []


def test_what_is_an_answer() -> None:
    """Links, boxes, references, versions, markup and code are answers, and so is the word that there is nothing."""
    assert [text for text in ANSWERS if names.is_placeholder(text)] == []
    assert [text for text in ANSWERS if names.is_blank(text)] == []


@pytest.mark.parametrize(("text", "expected"), SAMPLED)
def test_sentences_of_a_template_are_no_answers(text: str, expected: bool) -> None:  # noqa: FBT001 - a column
    """A text is not filled in when every line of it is in the empty template, in any dress."""
    assert names.is_placeholder(text, SAMPLES) is expected
    assert not names.is_placeholder(text)


@pytest.mark.parametrize("text", ["TODO", "None yet", "Item 1", "Step 2", "*Why now?*", "Fill in"])
def test_headings_and_cells_may_say_more(text: str) -> None:
    """What would be no answer in a field is one as a heading or as a cell: `## TODO`, `| Step 2 |`."""
    assert names.is_placeholder(text)
    assert not names.is_blank(text)


def test_a_long_text_says_something() -> None:
    """More than a screenful is no placeholder, and is not searched for one."""
    assert not names.is_placeholder("[" + "name " * 400 + "]")


@pytest.mark.parametrize("piece", ["`", "``a", "[", "<a ", "*", "_", "{{", "(TBD ", " - ", "<!--", "YYYY-MM-DD ", "|"])
def test_long_texts_are_judged_at_once(piece: str) -> None:
    """No repetition of marks keeps it busy until the time of a test is over."""
    assert names.is_blank(piece * (20_000 // len(piece))) in {True, False}


@given(st.text())
def test_any_text_is_judged(text: str) -> None:
    """Nothing fails, blanks around it change nothing, and N/A beside it is read as any other word."""
    found = names.is_placeholder(text)
    assert names.is_placeholder(f"\n {text} ") is found
    assert found or not names.is_blank(text) or len(text.strip()) > 1000
