"""State files with one hazard each, and what a right edit makes of them.

`HAZARDS` is the table, `LARGE` makes files that are too big to be written down, `VALUES` are texts that have broken
edits; the modules of this package hold data and nothing that is tested.
"""

from __future__ import annotations

from tests.hazards import eaten, frontmatter, looks
from tests.hazards.shapes import Hazard
from tests.hazards.sizes import LARGE

__all__ = ["HAZARDS", "LARGE", "MODES", "VALUES", "Hazard"]

HAZARDS: list[Hazard] = [*frontmatter.HAZARDS, *looks.HAZARDS, *eaten.HAZARDS]

# Permissions that a file keeps when it is edited.
MODES = (0o600, 0o640, 0o644, 0o664, 0o755)

VALUES = [
    "$25 weekly",
    r"\1",
    r"\d+",
    r"\g<0>",
    "a: b",
    "x # y",
    "| a | b |",
    "`code`",
    "**bold**",
    "<!-- x -->",
    "---",
    "- item",
    "## H",
    "",
    "line one\nline two",
    "日本 🎯",
    '"quoted"',
    "ends with two blanks  ",
    "\u2028",
]
