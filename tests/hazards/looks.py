"""Hazards of the body's look: labels, headings, list items, placeholders, fences, bytes and tables."""

from __future__ import annotations

from tests.hazards.shapes import (
    AGENTS,
    CLAUDE,
    CONTINUE,
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
    swap,
)

FOCUS = {"Metadata": {"Focus": "Credit notes"}}
BLOCKED = {"Current Context": {"Status": "Blocked"}}
PAUSED = {"Metadata": {"Status": "paused"}}
_FRONT_TO_PAUSED = ("status: active\n", "status: paused\n")  # the frontmatter has the same value
READ = {"Covered": ["Read the parser"]}
_TO_FOCUS = ("Import the invoices of 2025", "Credit notes")
_TO_BLOCKED = ("Working", "Blocked")
_TO_READ = ("- Looked at the sample files\n", "- Looked at the sample files\n- Read the parser\n")
_LABELS = N5[1][N5[1].index("- **Type:**") : N5[1].index("\n\n## Progress")]
_CONTEXT = GSD_LITE[1][GSD_LITE[1].index("**Phase:**") : GSD_LITE[1].index("\n\n## Active")]
_TABLE = """\
| Field | Value |
|-------|-------|
| Type | Build |
| Focus | Import the invoices of 2025 |
| Status | active |"""
_IN_TABLE = having(N5, (_LABELS, _TABLE))
_COLON_OUTSIDE = having(GSD_LITE, (_CONTEXT, _CONTEXT.replace(":**", "**:")))

LABELS = [
    case("a label in bold with its colon", GSD_LITE, BLOCKED, _TO_BLOCKED),
    case("a label in bold before its colon", _COLON_OUTSIDE, BLOCKED, _TO_BLOCKED),
    case("a label that is a list item", N5, PAUSED, _FRONT_TO_PAUSED, ("**Status:** active", "**Status:** paused")),
    case(
        "a plain label",
        GSD,
        {"Current Position": {"Plan": "2 of 3"}},
        ("Plan: 1 of 3 in current phase", "Plan: 2 of 3"),
    ),
    case("a label that is a table row", _IN_TABLE, PAUSED, _FRONT_TO_PAUSED, ("| active |", "| paused |")),
    case("a label that is a heading", HANDOFF, {"Status": "DONE"}, ("IN PROGRESS", "DONE")),
    case(
        "a plain label that is a list item", CONTINUITY, {"State": {"Now": "paging"}}, ("Now: sorting", "Now: paging")
    ),
    case(
        "label styles mixed",
        having(GSD_LITE, ("**Task:**", "**Task**:"), ("**Focus:**", "\n- **Focus:**"), ("**Status:**", "\nStatus:")),
        {"Current Context": {"Task": "TASK-004", "Focus": "Rates", "Status": "Blocked"}},
        ("TASK-003 - Read the price list", "TASK-004"),
        ("Prices with more than one currency", "Rates"),
        _TO_BLOCKED,
    ),
    case(
        "a missing label among bold ones",
        having(GSD_LITE, ("**Task:** TASK-003 - Read the price list\n", "")),
        {"Current Context": {"Task": "TASK-004"}},
        ("**Phase:** 2. Importer\n", "**Phase:** 2. Importer\n**Task:** TASK-004\n"),
    ),
    case(
        "a missing label among those with the colon outside",
        having(_COLON_OUTSIDE, ("**Task**: TASK-003 - Read the price list\n", "")),
        {"Current Context": {"Task": "TASK-004"}},
        ("**Phase**: 2. Importer\n", "**Phase**: 2. Importer\n**Task**: TASK-004\n"),
    ),
    case(
        "a missing label among list items",
        having(N5, ("- **Mode:** standalone\n", "")),
        {"Metadata": {"Mode": "worker"}},
        ("mode: standalone", "mode: worker"),
        ("- **Type:** Build\n", "- **Type:** Build\n- **Mode:** worker\n"),
    ),
    case(
        "a missing label among plain ones",
        having(GSD, ("Plan: 1 of 3 in current phase\n", "")),
        {"Current Position": {"Plan": "2 of 3"}},
        ("of 5 (Import)\n", "of 5 (Import)\nPlan: 2 of 3\n"),
    ),
    case(
        "a missing label among table rows",
        having(_IN_TABLE, ("| Type | Build |\n", "")),
        {"Metadata": {"Type": "Research"}},
        ("type: build", "type: research"),
        ("| Focus | Import", "| Type | Research |\n| Focus | Import"),
    ),
    case(
        "a missing label before a subsection's labels",
        having(N5, ("- **Current Phase:** Reading the files", "\n### Phase 1\n- **Result:** done")),
        {"Progress": {"Current Phase": "Phase 2"}},
        ("- **Overall:** 40%\n", "- **Overall:** 40%\n- **Current Phase:** Phase 2\n"),
    ),
    case(
        "prose with an emoji for a status, in the body",
        having(V1, ("**Status:** active", "**Status:** completed (pending cleanup) ✅")),
        {"Metadata": {"Status": "waiting 🕰️ for Mara"}},
        ("completed (pending cleanup) ✅", "waiting 🕰️ for Mara"),
    ),
    case(
        "two labels of one name",
        having(N5, ("- **Mode:**", "- **Focus:** The old one\n- **Mode:**")),
        {"Metadata": {"Focus": "Credit notes", "Mode": "worker"}},
        ("mode: standalone", "mode: worker"),
        ("**Mode:** standalone", "**Mode:** worker"),
        unplaced=("Metadata.Focus",),
    ),
]

_BOTH = ("## Open Questions", "## Covered\n- Asked Jan\n\n## Open Questions")
HEADINGS = [
    case(
        "a heading with a suffix",
        having(GSD, ("## Current Position", "## Current Position (v1.2)")),
        {"Current Position": {"Plan": "2 of 3"}},
        ("1 of 3 in current phase", "2 of 3"),
    ),
    *(
        case(f"a heading {name}", having(N5, ("## Covered", heading)), READ, _TO_READ)
        for name, heading in (
            ("with a number", "## 3. Covered"),
            ("with an emoji", "## ✅ Covered"),
            ("in code", "## `Covered`"),
            ("in bold", "## **Covered**"),
            ("in two languages", "## Covered / Erledigt"),
            ("with hashes at its end", "## Covered ##"),
            ("that is underlined", "Covered\n-------"),
            ("of the third level", "### Covered"),
        )
    ),
    case(
        "an emoji before the section that holds the entries",
        having(GENIE, ("## Active Sessions", "## 🎯 Active Sessions")),
        {"Tests - Import": {"Status": "active"}},
        ("starting", "active"),
    ),
    case(
        "a heading in another language",
        having(V1, ("## Topics", "## Próximos pasos")),
        {"Próximos pasos": ["Correo"]},
        ("- Costs\n", "- Costs\n- Correo\n"),
    ),
    case("one heading twice", having(N5, _BOTH), READ, unplaced=("Covered",)),
    case(
        "one heading twice, and another key wanted with it",
        having(N5, _BOTH, ("Import the invoices of 2025", "Invoices")),
        {**READ, **FOCUS},
        ("Invoices", "Credit notes"),
        unplaced=("Covered",),
    ),
    case(
        "entries after the closing note",
        having(V1, ("- Costs\n", "- Costs\n\n---\n*Kept by the librarian.*\n\n- Mail\n")),
        {"Topics": ["Backups"]},
        ("- Costs\n", "- Costs\n- Backups\n"),
    ),
    case(
        "sections in tags",
        CONTINUE,
        {"next_action": "Ask Jan for the sample."},
        ("Start with the sample of March.", "Ask Jan for the sample."),
    ),
    case(
        "sections in tags, with a list",
        having(CONTINUE, ("task: 2", "task: 3")),
        {"remaining_work": ["Task 4: Rates"]},
        ("before 1970\n", "before 1970\n- Task 4: Rates\n"),
    ),
    case(
        "a tag in a fence before the real one",
        having(CONTINUE, ("<current", "```xml\n<next_action>\nwhat to do first\n</next_action>\n```\n\n<current")),
        {"next_action": "Ask Jan for the sample."},
        ("Start with the sample of March.", "Ask Jan for the sample."),
    ),
]

_BOX = "- [x] Old links still work\n"
ITEMS = [
    case(
        "a phase in brackets is no box",
        having(GSD, ("- One table for each currency", "- [Phase 01]: One table for each currency")),
        {"Decisions": ["[Phase 02]: Rates come from the bank"]},
        ("currency\n", "currency\n- [Phase 02]: Rates come from the bank\n"),
    ),
    case(
        "a link is no box",
        having(N5, ("- Looked at the sample files", "- [x](samples/x.md)")),
        {"Covered": ["[y](samples/y.md)"]},
        ("x.md)\n", "x.md)\n- [y](samples/y.md)\n"),
    ),
    case(
        "a time in brackets is no box",
        FLAT,
        {"Journal": ["[2026-02-11 10:10] fix(export): retries"]},
        ("upload step\n", "upload step\n- [2026-02-11 10:10] fix(export): retries\n"),
    ),
    *(
        case(
            f"boxes with [{mark}]",
            having(AGENTS, (_BOX, f"- [{mark}] Old links still work\n- [ ] No file is lost\n")),
            {"Acceptance Criteria": ["Uploads resume"]},
            ("is lost\n", "is lost\n- [ ] Uploads resume\n"),
        )
        for mark in " x~!✅→"
    ),
    case(
        "boxes beside plain items",
        having(AGENTS, (_BOX, _BOX + "- No file is lost\n")),
        {"Acceptance Criteria": ["Uploads resume"]},
        ("is lost\n", "is lost\n- Uploads resume\n"),
    ),
    case("what is ticked already", AGENTS, {"Acceptance Criteria": ["Old links still work"]}),
    case(
        "what is there already, with blanks around",
        having(N5, ("- Looked", "-   Looked"), ("sample files\n", "sample files  \n")),
        {"Covered": ["Looked at the sample files"]},
    ),
    case(
        "one item twice in what is wanted",
        CLAUDE,
        {"Goals": ["Sort by name", "Sort by name"]},
        ("by date\n", "by date\n- [ ] Sort by name\n"),
    ),
    case(
        "stars for markers",
        having(MEMORY, ("- Sort", "* Sort")),
        {"Next Steps": ["Sort by name"]},
        ("by date\n", "by date\n* Sort by name\n"),
    ),
    case(
        "an indented list",
        having(HANDOFF, ("- Dates", "  - Dates")),
        {"Next Steps": ["Rates"]},
        ("1970\n", "1970\n  - Rates\n"),
    ),
    case(
        "file names with blanks and colons",
        having(N5, ("- Looked at the sample files", "- Notes 10:40: rates (draft).md")),
        {"Covered": ["Notes 10:40: rates (final).md", "Notes 10:40: rates (draft).md"]},
        ("(draft).md\n", "(draft).md\n- Notes 10:40: rates (final).md\n"),
    ),
]

_ITEM = "- Looked at the sample files\n"
_STATE = "The upload step works against the test bucket."
PLACEHOLDERS = [
    *(
        case(f"the placeholder {name}", having(N5, (_ITEM, lines)), READ, (lines, "- Read the parser\n"))
        for name, lines in (
            ("TBD", "- TBD\n"),
            ("tbd", "- tbd\n"),
            ("in brackets", "- [What was done]\n"),
            ("in double braces", "- {{covered}}\n"),
            ("in angle brackets", "- <what was done>\n"),
            ("of a date", "- YYYY-MM-DD\n"),
            ("of a conversation", "- con_XXX\n"),
            ("Item 1 and Item 2", "- Item 1\n- Item 2\n"),
            ("None yet", "- None yet\n"),
            ("None yet in italics", "- *None yet*\n"),
            ("None yet outside a list", "*None yet*\n"),
            ("of an italic question", "- *What has been done?*\n"),
        )
    ),
    case(
        "criteria for placeholders",
        having(AGENTS, (_BOX, "- [ ] Criterion 1\n- [ ] Criterion 2\n")),
        {"Acceptance Criteria": ["Uploads resume"]},
        ("- [ ] Criterion 1\n- [ ] Criterion 2\n", "- [ ] Uploads resume\n"),
    ),
    case(
        "two items for one placeholder",
        having(V1, ("- Compared three hosts", "- TBD")),
        {"Covered": ["Compared hosts", "Asked for offers"]},
        ("- TBD\n", "- Compared hosts\n- Asked for offers\n"),
    ),
    case(
        "a placeholder beside an answer",
        having(N5, (_ITEM, _ITEM + "- [More to come]\n")),
        READ,
        ("- [More to come]\n", "- [More to come]\n- Read the parser\n"),
    ),
    case("an item takes the place of N/A", having(N5, (_ITEM, "- N/A\n")), READ, ("- N/A\n", "- Read the parser\n")),
    case(
        "a placeholder for a value",
        having(N5, ("con_7Qm2XvLt9RkAe4Wd", "con_7Qm2XvLt9RkAe4Wa"), (_TO_FOCUS[0], "<one sentence>")),
        FOCUS,
        ("<one sentence>", "Credit notes"),
    ),
    case(
        "a pattern for a time as a value",
        having(GENIE, ("2026-01-17 16:20 UTC", "YYYY-MM-DD HH:MM UTC")),
        {"Tests - Import": {"Started": "2026-01-17 16:20 UTC"}},
        ("YYYY-MM-DD HH:MM UTC", "2026-01-17 16:20 UTC"),
    ),
    *(
        case(
            f"a text that is {name}",
            having(AGENTS, (_STATE, text)),
            {"Current State": "It works."},
            (text, "It works."),
        )
        for name, text in (
            ("in brackets", "[Where the work stands]"),
            ("in angle brackets", "<where the work stands>"),
            ("an italic question", "*Where does the work stand?*"),
            ("two paragraphs", "One half works.\n\nThe other does not."),
        )
    ),
    case(
        "an untouched template without the word TBD",
        (
            "agents",
            """\
---
session:
  title: "[Title]"
  status: in_progress
  created: "YYYY-MM-DDTHH:MM:SSZ"
  last_updated: "YYYY-MM-DDTHH:MM:SSZ"

orchestration:
  current_task: "[What is worked on]"
---

# Session: [Title]

## Context
[What somebody new has to know]

## Current State
[Where the work stands]

## Next Steps
- [First action]
- [Second action]
""",
        ),
        {"Next Steps": ["Try a file of 5 GB"]},
        ("- [First action]\n- [Second action]\n", "- Try a file of 5 GB\n"),
    ),
]


def _above(text: str) -> tuple[str, str]:
    """Return what puts text into a section of its own on top of an N5 file."""
    return "# SESSION STATE\n", f"# SESSION STATE\n\n## How to keep this file\n{text}"


_EXAMPLE = "## Covered\n- an example\n"
_TEMPLATE = "### [Name] - [Purpose]\n**Session ID:** `abc123...`\n**Status:** active | paused | completed\n"
FENCES = [
    *(
        case(f"a heading in {name}", having(N5, _above(text)), READ, _TO_READ)
        for name, text in (
            ("a fence", f"```markdown\n{_EXAMPLE}```\n"),
            ("a fence of four backticks around one of three", f"````markdown\n```\n{_EXAMPLE}```\n{_EXAMPLE}````\n"),
            ("a fence of tildes around backticks", f"~~~\n```\n{_EXAMPLE}~~~\n"),
            ("a fence that holds an escaped one", f"```markdown\n\\```\n{_EXAMPLE}\\```\n```\n"),
            ("indented code", "\n    ## Covered\n    - an example\n"),
            ("a comment", f"<!--\n{_EXAMPLE}-->\n"),
            ("a quote", "> ## Covered\n> - an example\n"),
            ("a list", "- ## Covered\n  an example\n"),
        )
    ),
    case(
        "a heading between escaped fences, which hide nothing",
        having(N5, _above(f"\\`\\`\\`\n{_EXAMPLE}\\`\\`\\`\n")),
        READ,
        unplaced=("Covered",),
    ),
    case(
        "a live heading of the template",
        having(
            GENIE,
            ("## Active Sessions\n", f"## Active Sessions\n\n{_TEMPLATE}"),
        ),
        {"Git - Release notes": {"Status": "paused"}},
        ("**Status:** active\n", "**Status:** paused\n"),
    ),
    case(
        "an unclosed fence below the list",
        having(N5, ("#build\n", "```\n#build\n")),
        READ,
        _TO_READ,
    ),
    case(
        "an unclosed fence where the list would begin",
        having(HANDOFF, ("- Dates before 1970\n", "As follows.\n\n```\nmake samples\n")),
        {"Next Steps": ["Rates"]},
        unplaced=("Next Steps",),
    ),
    case(
        "an unclosed fence that swallows the section",
        having(N5, ("## Covered", "```\nmake samples\n\n## Covered")),
        READ,
        unplaced=("Covered",),
    ),
    case(
        "an unclosed comment that swallows the section",
        having(N5, ("## Covered", "<!-- from here on for me\n\n## Covered")),
        READ,
        unplaced=("Covered",),
    ),
]

_OURS, _THEIRS = "<<<<<<< HEAD\n", "=======\n- Asked Jan\n>>>>>>> feature/rates\n"
_CONFLICT = having(N5, (_ITEM, _OURS + _ITEM + _THEIRS))
_LONG = "The parser reads one line after the other and keeps what it cannot read. " * 20
BYTES = [
    case("no final newline", (N5[0], N5[1].rstrip("\n")), FOCUS, _TO_FOCUS),
    case(
        "no newline after the value",
        (GSD[0], GSD[1].rstrip("\n")),
        {"Session Continuity": {"Stopped at": "Phase 3 planned"}},
        ("Stopped at: Phase 2 planned", "Stopped at: Phase 3 planned"),
    ),
    case("many blank lines at the end", (N5[0], N5[1] + "\n\n \n"), FOCUS, _TO_FOCUS),
    case(
        "hard breaks of two blanks",
        (GSD_LITE[0], swap(GSD_LITE[1], (_CONTEXT, _CONTEXT.replace("\n", "  \n") + "  "))),
        BLOCKED,
        _TO_BLOCKED,
    ),
    case(
        "hard breaks of a backslash",
        (GSD_LITE[0], swap(GSD_LITE[1], (_CONTEXT, _CONTEXT.replace("\n", "\\\n")))),
        {"Current Context": {"Focus": "Rates"}},
        ("Prices with more than one currency", "Rates"),
    ),
    case("CRLF and a value", (N5[0], N5[1].replace("\n", "\r\n")), FOCUS, _TO_FOCUS),
    case(
        "CRLF and an item",
        (V1[0], V1[1].replace("\n", "\r\n")),
        {"Covered": ["Asked for offers"]},
        ("three hosts\r\n", "three hosts\r\n- Asked for offers\r\n"),
    ),
    case(
        "CRLF and a text of two lines",
        (AGENTS[0], AGENTS[1].replace("\n", "\r\n")),
        {"Current State": "Uploads work.\nRetries do not."},
        (_STATE, "Uploads work.\r\nRetries do not."),
    ),
    case("CR only and a value", (N5[0], N5[1].replace("\n", "\r")), FOCUS, _TO_FOCUS),
    case(
        "CR only and an item",
        (V1[0], V1[1].replace("\n", "\r")),
        {"Covered": ["Asked for offers"]},
        ("three hosts\r", "three hosts\r- Asked for offers\r"),
    ),
    case(
        "a list with LF in a file with CRLF",
        (N5[0], N5[1].replace("\n", "\r\n").replace("files\r\n\r\n## Open", "files\n\r\n## Open")),
        READ,
        _TO_READ,
    ),
    case(
        "a byte order mark without frontmatter",
        (V1[0], "\ufeff" + V1[1]),
        {"Metadata": {"Status": "paused"}},
        ("**Status:** active", "**Status:** paused"),
    ),
    case("conflict markers", _CONFLICT, FOCUS, refused="conflict"),
    case("conflict markers with CRLF", (N5[0], _CONFLICT[1].replace("\n", "\r\n")), FOCUS, refused="conflict"),
    case(
        "conflict markers in the frontmatter",
        having(
            FLAT,
            ("status: in_progress\n", f"{_OURS}status: in_progress\n=======\nstatus: paused\n>>>>>>> feature/rates\n"),
        ),
        {"Status": "paused"},
        refused="conflict",
    ),
    case(
        "angle brackets that are no conflict",
        having(N5, ("#build", "#build\n\nGit writes <<<<<<< HEAD when it cannot merge.")),
        FOCUS,
        _TO_FOCUS,
    ),
    case(
        "a line of more than a thousand characters",
        having(N5, ("#build", _LONG)),
        FOCUS,
        _TO_FOCUS,
    ),
    case(
        "a value of more than a thousand characters",
        having(GSD_LITE, ("Prices with more than one currency", _LONG.strip())),
        {"Current Context": {"Focus": "Rates"}},
        (_LONG.strip(), "Rates"),
    ),
    case("a byte that is not UTF-8", having(N5, ("#build", "#caf\udce9")), FOCUS, _TO_FOCUS),
    case(
        "a byte that is not UTF-8 in the value",
        having(N5, ("Import the invoices of 2025", "Caf\udce9 bills")),
        FOCUS,
        ("Caf\udce9 bills", "Credit notes"),
    ),
    case(
        "what only Python takes for line ends",
        having(GSD_LITE, ("more than one currency", "more\u2028than\x0cone\x85currency")),
        BLOCKED,
        _TO_BLOCKED,
    ),
]

_ROW = "| Focus | Import the invoices of 2025 |"
TABLES = [
    case(
        "a pipe in a cell's new text",
        _IN_TABLE,
        {"Metadata": {"Focus": "bills | invoices"}},
        (_ROW, r"| Focus | bills \| invoices |"),
    ),
    case(
        "an escaped pipe in a cell's old text",
        having(_IN_TABLE, (_ROW, r"| Focus | bills \| invoices |")),
        FOCUS,
        (r"bills \| invoices", "Credit notes"),
    ),
    case(
        "an escaped pipe in a code span",
        having(_IN_TABLE, (_ROW, r"| Focus | `cat x \| wc` |")),
        FOCUS,
        (r"`cat x \| wc`", "Credit notes"),
    ),
    case(
        "a bare pipe in another row's code span",
        having(_IN_TABLE, (_ROW, "| Focus | `cat x | wc` |")),
        PAUSED,
        _FRONT_TO_PAUSED,
        ("| active |", "| paused |"),
    ),
    case(
        "ragged rows around",
        having(_IN_TABLE, (_ROW, "| Focus |\n| Notes | of Mara | of Jan | |")),
        PAUSED,
        _FRONT_TO_PAUSED,
        ("| active |", "| paused |"),
    ),
    case(
        "cells padded to columns",
        having(_IN_TABLE, ("| Status | active |", "| Status |  active                    |")),
        PAUSED,
        _FRONT_TO_PAUSED,
        ("active  ", "paused  "),
    ),
    case(
        "an empty cell",
        having(_IN_TABLE, (_ROW, "| Focus |  |")),
        FOCUS,
        ("| Focus |  |", "| Focus | Credit notes |"),
    ),
]

HAZARDS = [*LABELS, *HEADINGS, *ITEMS, *PLACEHOLDERS, *FENCES, *BYTES, *TABLES]
