"""Hazards of the frontmatter: rules that are none, YAML that is none, and all that a load and dump would change."""

from __future__ import annotations

from tests.hazards.shapes import AGENTS, FLAT, GSD, GSD_LITE, N5, V1, case, having

PAUSED = {"Status": "paused"}
SESSION_PAUSED = {"session": {"status": "paused"}}
FOCUS = {"Metadata": {"Focus": "Credit notes"}}
_TO_FOCUS = ("Import the invoices of 2025", "Credit notes")
_TO_PAUSED = ("status: in_progress", "status: paused")
_TITLE = '"Move the exporter to object storage"\n'
_TASK = '"Write the upload step"'
_WHOLE = N5[1][: N5[1].index("# SESSION")]

RULES = [
    case(
        "rules without frontmatter",
        V1,
        {"Covered": ["Asked for offers"]},
        ("three hosts\n", "three hosts\n- Asked for offers\n"),
    ),
    case(
        "no frontmatter to hold the status",
        having(V1, ("**Status:** active", "**Status:** open")),
        PAUSED,
        ("**Status:** open", "**Status:** paused"),
    ),
    case(
        "a rule on the first line",
        having(
            GSD_LITE,
            ("---\nversion: 1.0\nupdated: 2026-01-21T15:45:00Z\nsession: 2026-01-21-importer\n---\n", "---\n"),
            ("State: Importer\n", "State: Importer\n\n---\n"),
        ),
        {"Current Context": {"Status": "Blocked"}},
        ("Working", "Blocked"),
    ),
    case(
        "a rule right under text, which makes it a heading",
        having(V1, ("- **Overall:** 10%\n\n---", "- **Overall:** 10%\n\nSlow but steady.\n---")),
        {"Covered": ["Asked for offers"]},
        ("three hosts\n", "three hosts\n- Asked for offers\n"),
    ),
    case(
        "three dashes within a value",
        having(AGENTS, (_TITLE, '"Exporter --- part two"\n')),
        SESSION_PAUSED,
        _TO_PAUSED,
    ),
    case(
        "a rule within a block of text in the frontmatter",
        having(AGENTS, (_TASK, "|\n    Upload\n    ---\n    Retry")),
        SESSION_PAUSED,
        _TO_PAUSED,
    ),
]

BROKEN = [
    case(
        "an unquoted colon, and a dialect whose frontmatter is not ours",
        having(GSD, ("stopped_at: Phase 2 planned", "stopped_at: Phase 2: planned")),
        {"Status": "Paused"},
        ("Status: In progress", "Status: Paused"),
    ),
    case(
        "an unquoted colon, key and text wanted",
        having(AGENTS, (_TASK, "Upload: retry twice")),
        {**SESSION_PAUSED, "Current State": "Uploads are tried twice."},
        ("The upload step works against the test bucket.", "Uploads are tried twice."),
        unplaced=("session.status",),
    ),
    case(
        "an unquoted colon, status in frontmatter and body",
        having(N5, ("mode: standalone\n", "mode: Phase 3: done\n")),
        PAUSED,
        unplaced=("Status",),  # in one of the two it would contradict the other
    ),
    case(
        "quotes within quotes",
        having(FLAT, ("branch: feat/object-storage", 'branch: "the "old" exporter"')),
        PAUSED,
        unplaced=("Status",),
    ),
    case(
        "a tab in the frontmatter",
        having(N5, ("mode: standalone", "mode:\n\tstandalone")),
        FOCUS,
        _TO_FOCUS,
    ),
    case("unclosed frontmatter", having(N5, (_WHOLE, _WHOLE.removesuffix("---\n\n") + "\n")), FOCUS, _TO_FOCUS),
    case(
        "unclosed frontmatter, status wanted",
        having(N5, (_WHOLE, _WHOLE.removesuffix("---\n\n") + "\n"), ("**Status:** active", "**Status:** open")),
        PAUSED,
        ("**Status:** open", "**Status:** paused"),
    ),
    case(
        "unclosed frontmatter with a rule further down",
        having(N5, (_WHOLE, _WHOLE.removesuffix("---\n\n") + "\n"), ("## Tags", "---\n\n## Tags")),
        FOCUS,
        _TO_FOCUS,
    ),
    case(
        "frontmatter that is a list",
        having(N5, (_WHOLE, "---\n- type: build\n- mode: standalone\n---\n\n")),
        FOCUS,
        _TO_FOCUS,
    ),
    case("frontmatter that is a sentence", having(N5, (_WHOLE, "---\nSee the wiki\n---\n\n")), FOCUS, _TO_FOCUS),
    case("empty frontmatter", having(N5, (_WHOLE, "---\n---\n\n")), FOCUS, _TO_FOCUS),
]

KEPT = [
    case(
        "a comment after the value",
        having(FLAT, ("status: in_progress", "status: in_progress  # until Mara is back")),
        PAUSED,
        _TO_PAUSED,
    ),
    case(
        "comments on lines of their own",
        having(FLAT, ("status: in_progress", "# status: completed\nstatus: in_progress\n  # status: draft")),
        PAUSED,
        ("\nstatus: in_progress", "\nstatus: paused"),
    ),
    case(
        "keys in another order",
        having(FLAT, ("branch: feat/object-storage\n", ""), ("0a11\n", "0a11\nbranch: feat/object-storage\n")),
        PAUSED,
        _TO_PAUSED,
    ),
    case(
        "a value in double quotes",
        having(AGENTS, ("status: in_progress", 'status: "in_progress"')),
        SESSION_PAUSED,
        ('"in_progress"', '"paused"'),
    ),
    case(
        "a value in single quotes",
        having(AGENTS, ("status: in_progress", "status: 'in_progress'")),
        SESSION_PAUSED,
        ("'in_progress'", "'paused'"),
    ),
    case(
        "an apostrophe for single quotes",
        having(FLAT, ("status: in_progress", "status: 'Jan''s turn'")),
        {"Status": "Mara's turn"},
        ("'Jan''s turn'", "'Mara''s turn'"),
    ),
    case(
        "a backslash for double quotes",
        having(AGENTS, (_TASK, '"Copy C:\\\\old"')),
        {"orchestration": {"current_task": r"Copy C:\new"}},
        ('"Copy C:\\\\old"', '"Copy C:\\\\new"'),
    ),
    case(
        "a colon for a value without quotes",
        having(FLAT, ("status: in_progress", "status: running")),
        {"Status": "waiting: on review"},
        ("status: running", 'status: "waiting: on review"'),
    ),
    case(
        "a hash for a value without quotes",
        having(FLAT, ("status: in_progress", "status: started")),
        {"Status": "waiting for #12, that is #7"},
        ("status: started", 'status: "waiting for #12, that is #7"'),
    ),
    case(
        "a bracket for a value without quotes",
        having(FLAT, ("status: in_progress", "status: open")),
        {"Status": "[paused] by Mara"},
        ("status: open", 'status: "[paused] by Mara"'),
    ),
    case(
        "unknown keys",
        having(FLAT, ("status:", "x-team: {owner: ops, pair: [Mara, 'Jan']}\nstatus:")),
        PAUSED,
        _TO_PAUSED,
    ),
    case("a number with a zero at the end", having(FLAT, ("status:", "release: 16.10\nstatus:")), PAUSED, _TO_PAUSED),
    case("a number with a zero in front", having(FLAT, ("status:", "phase: 03\nstatus:")), PAUSED, _TO_PAUSED),
    case(
        "a bare date",
        having(FLAT, ("created: 2026-02-11T08:00:00Z", "created: 2026-02-11")),
        PAUSED,
        _TO_PAUSED,
    ),
    case("words that are truths in YAML", having(FLAT, ("status:", "archived: no\nstatus:")), PAUSED, _TO_PAUSED),
    case(
        "folded text among the keys",
        having(AGENTS, (_TITLE, ">-\n    Move the exporter\n    status: as planned\n")),
        SESSION_PAUSED,
        ("  status: in_progress", "  status: paused"),
    ),
    case(
        "text that goes on in the next line",
        having(FLAT, ("branch: feat/object-storage", "branch: feat/object-storage\n  and the fix for it")),
        PAUSED,
        _TO_PAUSED,
    ),
    case(
        "an anchor and an alias",
        having(FLAT, ("branch: feat/object-storage", "branch: &work feat/object-storage\nbase: *work")),
        PAUSED,
        _TO_PAUSED,
    ),
    case(
        "more blanks than needed",
        having(FLAT, ("status: in_progress", "status:    in_progress  ")),
        PAUSED,
        ("in_progress", "paused"),
    ),
    case("a byte order mark", having(N5, ("---\nconv", "\ufeff---\nconv")), FOCUS, _TO_FOCUS),
    case(
        "a byte order mark, status wanted",
        having(FLAT, ("---\nbranch", "\ufeff---\nbranch")),
        PAUSED,
        _TO_PAUSED,
    ),
    case(
        "CRLF in the frontmatter",
        (FLAT[0], FLAT[1].replace("\n", "\r\n")),
        PAUSED,
        _TO_PAUSED,
    ),
]

MEANT = [
    case(
        "frontmatter against body",
        having(N5, ("status: active", "status: completed")),
        PAUSED,
        ("status: completed", "status: paused"),
        ("**Status:** active", "**Status:** paused"),
    ),
    case(
        "prose with an emoji for a status",
        having(FLAT, ("in_progress", "completed (pending cleanup) ✅")),
        PAUSED,
        ("completed (pending cleanup) ✅", "paused"),
    ),
    case(
        "a frontmatter that follows from the body",
        having(GSD, ("status: executing", "status: In progress")),
        {"Status": "Paused"},
        ("\nStatus: In progress", "\nStatus: Paused"),
    ),
    case(
        "the status of others above",
        having(
            AGENTS,
            ("---\nsession:", "---\nworkers:\n  - agent: reader\n    status: completed\nsession:"),
        ),
        SESSION_PAUSED,
        _TO_PAUSED,
    ),
    case(
        "one key twice",
        having(FLAT, ("last_entry:", "status: completed\nlast_entry:")),
        PAUSED,
        unplaced=("Status",),
    ),
    case(
        "an empty value before the next key",
        having(FLAT, ("status: in_progress", "status:")),
        PAUSED,
        ("status:\n", "status: paused\n"),
    ),
    case(
        "an empty value before the next key, nested",
        having(AGENTS, (" " + _TASK, "")),
        {"orchestration": {"current_task": "Try again"}},
        ("current_task:\n", "current_task: Try again\n"),
    ),
    case(
        "an empty value in quotes",
        having(AGENTS, (_TASK, '""')),
        {"orchestration": {"current_task": "Try again"}},
        ('""', '"Try again"'),
    ),
    case(
        "the value that is there already",
        having(AGENTS, ("in_progress", "paused")),
        SESSION_PAUSED,
    ),
]

HAZARDS = [*RULES, *BROKEN, *KEPT, *MEANT]
