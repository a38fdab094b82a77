"""Hazards that have eaten state files: what an edit had to write, where it wrote, and what it took for old."""

from __future__ import annotations

from tests.hazards.shapes import (
    AGENTS,
    CLAUDE,
    CONTINUITY,
    FLAT,
    GENIE,
    GSD,
    GSD_LITE,
    HANDOFF,
    MEMORY,
    N5,
    V1,
    case,
    having,
)

BLOCKED = {"Current Context": {"Status": "Blocked"}}
FOCUS = {"Metadata": {"Focus": "Credit notes"}}
READ = {"Covered": ["Read the parser"]}
NOTES_PAUSED = {"Git - Release notes": {"Status": "paused"}}
_TO_BLOCKED = ("**Status:** Working", "**Status:** Blocked")
_TO_FOCUS = ("Import the invoices of 2025", "Credit notes")
_TO_PAUSED = ("**Status:** active\n", "**Status:** paused\n")
_ITEM = "- Looked at the sample files\n"
_TO_READ = (_ITEM, _ITEM + "- Read the parser\n")
_STATE = "The upload step works against the test bucket."
_ROWS = "| Field | Value |\n|-------|-------|\n| Price | $1 a day |\n\n"

REPLACEMENTS = [
    case(
        "a dollar before a number, in a label",
        having(GSD_LITE, ("Prices with more than one currency", "$20 weekly")),
        {"Current Context": {"Focus": "$25 weekly"}},
        ("$20 weekly", "$25 weekly"),
    ),
    case(
        "a backslash before a number, in a label",
        having(N5, ("Import the invoices of 2025", r"The group \2")),
        {"Metadata": {"Focus": r"The group \1"}},
        (r"The group \2", r"The group \1"),
    ),
    case(
        "a backslash before a letter, in an item",
        having(N5, (_ITEM, "- Is \\w+ enough?\n")),
        {"Covered": [r"Is \d+ enough?"]},
        ("enough?\n", "enough?\n- Is \\d+ enough?\n"),
    ),
    case(
        "a named group, in the frontmatter",
        having(AGENTS, ('"Write the upload step"', "Replace it")),
        {"orchestration": {"current_task": r"Replace \g<0> and $&"}},
        ("Replace it", r"Replace \g<0> and $&"),
    ),
    case(
        "dollars and backslashes, in a text",
        having(AGENTS, (_STATE, "It costs $1.")),
        {"Current State": r"It costs $12, see \1 and ${x}."},
        ("It costs $1.", r"It costs $12, see \1 and ${x}."),
    ),
    case(
        "a dollar before a number, in a heading",
        having(HANDOFF, ("IN PROGRESS", "$10 SPENT")),
        {"Status": "$25 SPENT"},
        ("$10 SPENT", "$25 SPENT"),
    ),
    case(
        "a dollar before a number, in a table",
        having(
            N5,
            ("- **Type:** Build\n- **Mode:** standalone\n", _ROWS),
            ("- **Focus:** Import the invoices of 2025\n", ""),
        ),
        {"Metadata": {"Price": "$25 a day"}},
        ("$1 a day", "$25 a day"),
    ),
]

_NOTE = "## Notes\n{}\n\n## Current Context"
FIRST_MATCH = [
    *(
        case(
            f"the label {name} first",
            having(GSD_LITE, ("## Current Context", _NOTE.format(text))),
            BLOCKED,
            _TO_BLOCKED,
        )
        for name, text in (
            ("in another section", "**Status:** done since yesterday"),
            ("in another section's fence", "```\n## Current Context\n**Status:** open\n```"),
        )
    ),
    *(
        case(
            f"the label {name} first, in its own section",
            having(GSD_LITE, ("**Phase:**", f"{text}\n\n**Phase:**")),
            BLOCKED,
            _TO_BLOCKED,
        )
        for name, text in (
            ("in a fence", "```\n**Status:** open\nStatus: open\n```"),
            ("in prose", "Write **Status:** and one word, be it Status: open or another."),
            ("in a code span", "The line `**Status:** open` is read by the bot."),
            ("in a quote", "> **Status:** open"),
            ("in a comment", "<!--\n**Status:** open\n-->"),
            ("in a table's head", "| Who | Status |\n|-----|--------|\n| Jan | away |"),
        )
    ),
    case(
        "last month's entry before the real one",
        having(N5, ("## Metadata", "## February\n- **Focus:** Orders\n- **Status:** completed\n\n## Metadata")),
        {"Status": "paused"},
        ("status: active", "status: paused"),
        ("**Status:** active", "**Status:** paused"),
    ),
    case(
        "the status of something else below",
        having(GSD_LITE, ("**Used:**", "**Status:** 24 %\n**Used:**")),
        {"Status": "Blocked"},
        _TO_BLOCKED,
    ),
    case(
        "the status of something else in the body",
        having(AGENTS, (_STATE, f"{_STATE}\n\n**Status:** green")),
        {"Status": "paused"},
        ("status: in_progress", "status: paused"),
    ),
    case(
        "another entry with the same label before the real one",
        having(GENIE, ("starting", "in_progress")),
        {"Tests - Import": {"Status": "paused"}},
        ("in_progress", "paused"),
    ),
    case(
        "an entry without a status between others",
        having(GENIE, ("**Status:** starting\n", "")),
        {"Tests - Import": {"Status": "paused"}},
        ("Cover the importer\n", "Cover the importer\n**Status:** paused\n"),
    ),
    case(
        "a date that is a command",
        having(GENIE, ("2026-01-17 16:40 UTC", '!`date -u +"%Y-%m-%d %H:%M:%S UTC"`')),
        NOTES_PAUSED,
        _TO_PAUSED,
    ),
    case(
        "an id with a remark",
        having(GENIE, ("`git-4be2`", "`git-4be2` (resumed twice, was `git-11aa`)")),
        NOTES_PAUSED,
        _TO_PAUSED,
    ),
]

HALF_VALUES = [
    case(
        "a value that goes on in brackets",
        having(GSD_LITE, ("**Status:** Working", "**Status:** waiting (depends on the review of #12)")),
        {"Current Context": {"Status": "completed"}},
        ("waiting (depends on the review of #12)", "Complete"),  # the document's word
    ),
    case(
        "a value with bold and a colon within",
        having(N5, ("Import the invoices of 2025", "the **new:** parser: step 2")),
        FOCUS,
        unplaced=("Metadata.Focus",),  # nobody can tell it from two labels on one line
    ),
    case(
        "a value that begins with a link",
        having(N5, ("Import the invoices of 2025", "[the plan](docs/plan.md) of `v2`")),
        FOCUS,
        ("[the plan](docs/plan.md) of `v2`", "Credit notes"),
    ),
    case(
        "half a value in the frontmatter",
        having(FLAT, ("in_progress", "waiting (depends on the review, see 7)")),
        {"Status": "completed"},
        ("waiting (depends on the review, see 7)", "completed"),
    ),
    case(
        "half a value in a heading",
        having(HANDOFF, ("IN PROGRESS", "BLOCKED (waiting: rates)")),
        {"Status": "DONE"},
        ("BLOCKED (waiting: rates)", "DONE"),
    ),
]

BY_HAND = [
    *(
        case(f"{name} in a section that gets an item", having(N5, (_ITEM, text)), READ, (_ITEM, after))
        for name, text, after in (
            ("a hint", f"*Newest last, one line each*\n\n{_ITEM}", _TO_READ[1]),
            ("a hint right above the list", f"*Newest last, one line each*\n{_ITEM}", _TO_READ[1]),
            ("a comment above", f"<!-- one line each -->\n{_ITEM}", _TO_READ[1]),
            ("a comment below", f"{_ITEM}\n<!-- one line each -->\n", _TO_READ[1]),
            ("text below", f"{_ITEM}\nJan has the rest.\n", _TO_READ[1]),
            ("another list with other bullets", f"{_ITEM}\nOf Jan:\n\n* Rates\n", _TO_READ[1]),
            ("a subsection", f"{_ITEM}\n### Later\n- Rates\n", _TO_READ[1]),
        )
    ),
    case(
        "nested bullets below the last item",
        having(N5, (_ITEM, _ITEM + "  - March is missing\n    - and April\n")),
        READ,
        ("and April\n", "and April\n- Read the parser\n"),
    ),
    case(
        "a last item of several lines",
        having(N5, (_ITEM, _ITEM + "  and at those\nof last year\n")),
        READ,
        ("of last year\n", "of last year\n- Read the parser\n"),
    ),
    case(
        "a fence in the last item",
        having(N5, (_ITEM, _ITEM + "  ```\n  - wc samples\n  ```\n")),
        READ,
        ("  ```\n\n", "  ```\n- Read the parser\n\n"),
    ),
    case(
        "a list below a text that is replaced",
        having(AGENTS, (_STATE, f"{_STATE}\n\n- of 2 MB\n- of 2 GB\n\nMore is not needed.")),
        {"Current State": "Uploads work."},
        (f"{_STATE}\n\n- of 2 MB\n- of 2 GB\n\nMore is not needed.", "Uploads work."),
    ),
    case(
        "a comment above a text that is replaced",
        having(MEMORY, ("The search page.", "<!-- one sentence -->\nThe search page.")),
        {"Current Focus": "Paging."},
        ("The search page.", "Paging."),
    ),
    case(
        "a text of two lines that is replaced",
        having(CONTINUITY, ("Results sorted by date.", "Results sorted\nby date.")),
        {"Goal": "Paging."},
        ("Results sorted\nby date.", "Paging."),
    ),
]

EMPTY_VALUES = [
    case(
        "an empty value before the next line, bold",
        having(GSD_LITE, ("**Task:** TASK-003 - Read the price list", "**Task:**")),
        {"Current Context": {"Task": "TASK-004"}},
        ("**Task:**\n", "**Task:** TASK-004\n"),
    ),
    case(
        "an empty value with a blank before the next line",
        having(GSD_LITE, ("**Task:** TASK-003 - Read the price list", "**Task:** ")),
        {"Current Context": {"Task": "TASK-004"}},
        ("**Task:** \n", "**Task:** TASK-004\n"),
    ),
    case(
        "an empty value before the next line, a list item",
        having(N5, (" Import the invoices of 2025", "")),
        FOCUS,
        ("**Focus:**\n", "**Focus:** Credit notes\n"),
    ),
    case(
        "an empty value before the next line, plain",
        having(GSD, ("Plan: 1 of 3 in current phase", "Plan:")),
        {"Current Position": {"Plan": "2 of 3"}},
        ("Plan:\n", "Plan: 2 of 3\n"),
    ),
    case(
        "an empty value at the end of the file",
        having(GSD, ("Stopped at: Phase 2 planned\n", "Stopped at:")),
        {"Session Continuity": {"Stopped at": "Phase 3"}},
        ("Stopped at:", "Stopped at: Phase 3"),
    ),
]

SEVERAL_LINES = [
    case(
        "several lines for one label",
        having(GSD_LITE, ("more than one currency", "two currencies")),
        {"Current Context": {"Focus": "Rates\n## of the bank"}},
        ("Prices with two currencies", "Rates ## of the bank"),
    ),
    case(
        "several lines for one item",
        having(V1, ("three hosts", "four hosts")),
        {"Covered": ["Asked\n- for offers"]},
        ("four hosts\n", "four hosts\n- Asked - for offers\n"),
    ),
    case(
        "a value that goes on in the next line, beside the one wanted",
        having(GENIE, ("Write the notes for 2.4", "Write the notes\nfor 2.4")),
        {"Git - Release notes": {"Next": "Sort them"}},
        ("Collect the merged requests", "Sort them"),
    ),
    case(
        "a list in place of a value, beside the one wanted",
        having(GENIE, ("**Purpose:** Write", "**Children:**\n- requests (req-1)\n- tags (tag-2)\n**Purpose:** Write")),
        {"Git - Release notes": {"Purpose": "Write all notes"}},
        ("Write the notes for 2.4", "Write all notes"),
    ),
]

PATTERNS = [
    case(
        "a label with brackets in its name",
        having(N5, ("- **Status:** active", "- **Blocker (P1):** none\n- **Status:** active")),
        {"Metadata": {"Blocker (P1)": "no rates"}},
        ("**Blocker (P1):** none", "**Blocker (P1):** no rates"),
    ),
    case(
        "a label with brackets in its name, not there yet",
        having(N5, ("- **Status:** active", "- **Blocker (P2):** none\n- **Status:** active")),
        {"Metadata": {"Blocker (P1)": "no rates"}},
        ("- **Status:** active\n", "- **Status:** active\n- **Blocker (P1):** no rates\n"),
    ),
    case(
        "a label whose name is a pattern",
        having(GSD_LITE, ("**Status:**", "**C++ [a.*]:** no\n**Status:**")),
        {"Current Context": {"C++ [a.*]": "yes"}},
        ("**C++ [a.*]:** no", "**C++ [a.*]:** yes"),
    ),
    case(
        "a heading whose name is a pattern",
        having(V1, ("## Topics", "## Topics (.*)?")),
        {"Topics (.*)?": ["Mail"]},
        ("- Costs\n", "- Costs\n- Mail\n"),
    ),
]

_CLOSING = "\n---\n*Kept by the librarian.*\n"
AT_THE_END = [
    case(
        "a closing note below a list",
        having(MEMORY, ("- Sort by date\n", "- Sort by date\n" + _CLOSING)),
        {"Next Steps": ["Sort by name"]},
        ("by date\n", "by date\n- Sort by name\n"),
    ),
    case(
        "a closing note where a list would begin",
        having(MEMORY, ("- Sort by date\n", "In this order.\n" + _CLOSING)),
        {"Next Steps": ["Sort by name"]},
        ("order.\n", "order.\n\n- Sort by name\n"),
    ),
    case(
        "a closing note where a section would begin",
        having(N5, ("\n## Tags\n#build\n", _CLOSING)),
        {"Artifacts": ["rates.csv"]},
        ("files have?\n", "files have?\n\n## Artifacts\n*Files created during this conversation*\n\n- rates.csv\n"),
    ),
    case(
        "a rule between sections where a list would begin",
        having(V1, ("- Compared three hosts", "Nothing but the hosts.")),
        {"Covered": ["Asked for offers"]},
        ("the hosts.\n", "the hosts.\n\n- Asked for offers\n"),
    ),
    case(
        "many blank lines where a list would begin",
        having(N5, (_ITEM, "Nothing but the samples.\n\n\n")),
        READ,
        ("samples.\n", "samples.\n\n- Read the parser\n"),
    ),
    case(
        "a section with nothing in it",
        having(N5, (_ITEM, "")),
        READ,
        ("## Covered\n", "## Covered\n- Read the parser\n"),
    ),
    case(
        "a last line without newline, a list",
        (V1[0], V1[1].rstrip("\n")),
        {"Topics": ["Mail"]},
        ("- Costs", "- Costs\n- Mail"),
    ),
    case(
        "a last line without newline, a text",
        having(HANDOFF, ("- Dates before 1970\n", "As agreed.")),
        {"Next Steps": ["Rates"]},
        ("As agreed.", "As agreed.\n\n- Rates"),
    ),
    case(
        "a last line without newline, a label",
        having(GENIE, ("**Status:** completed\n", "**Started:** 2026-01-09 10:00 UTC")),
        {"Git - Hotfix": {"Status": "completed"}},
        ("10:00 UTC", "10:00 UTC\n**Status:** completed"),
    ),
    case(
        "a section that is missing between others",
        having(N5, ("#build", "#build #invoices")),
        {"Topics": ["Encodings"]},
        ("sample files\n", "sample files\n\n## Topics\n- Encodings\n"),
    ),
    case(
        "a section with nothing in it, and a label wanted",
        having(N5, ("## Progress\n- **Overall:** 40%\n- **Current Phase:** Reading the files\n\n", "## Progress\n\n")),
        {"Progress": {"Overall": "40%"}},
        ("## Progress\n", "## Progress\n- **Overall:** 40%\n"),
    ),
]

SILENCE = [
    case(
        "a section nobody knows",
        having(CLAUDE, ("Sort by date", "Sort by name")),
        {"Weather": ["Rain"]},
        unplaced=("Weather",),
    ),
    case(
        "a section nobody knows beside one that is there",
        having(N5, ("#build", "#build #rates")),
        {"Weather": {"Wind": "north"}, **READ},
        _TO_READ,
        unplaced=("Weather.Wind",),
    ),
    case("an empty file", ("unknown", ""), FOCUS, refused="shape"),
    case("a file of nothing but blanks", ("unknown", "\n \n\n"), FOCUS, refused="shape"),
    case(
        "a file of another kind",
        ("unknown", "# Rates\n\nHow to read the bank's list.\n\n## Covered\n- Dollars\n"),
        READ,
        refused="shape",
    ),
    case("bytes that are no text", ("unknown", "\x00\x01\udcff\udcfe\x00"), FOCUS, refused="shape"),
    case("a value that is there already", having(N5, ("of 2025", "of 2024")), {"Metadata": {"Status": "active"}}),
    case("nothing wanted", having(N5, ("of 2025", "of 2023")), {}),
]

HAZARDS = [
    *REPLACEMENTS,
    *FIRST_MATCH,
    *HALF_VALUES,
    *BY_HAND,
    *EMPTY_VALUES,
    *SEVERAL_LINES,
    *PATTERNS,
    *AT_THE_END,
    *SILENCE,
]
