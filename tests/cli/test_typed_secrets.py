"""What a command says of what was typed has no secret in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support import hooks
from tests.support.hostile import shown

if TYPE_CHECKING:
    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared

SECRET = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
TYPED = [
    ["update", "action=started", f"agent={SECRET}", "session_id=z", "purpose=x"],
    ["show", "one", "--section", SECRET],
    ["show", SECRET],
    ["audit", f"{SECRET}.md"],
    ["audit", "--json", f"{SECRET}.md"],
    ["finish", SECRET, "done"],
    ["resume", SECRET],
    [SECRET],
    ["list", f"--{SECRET}"],
    ["-C", f"absent/{SECRET}", "list"],
    ["report", "--html", f"{SECRET}.html"],
    ["report", "--html", f"absent-{SECRET}/page.html"],
]


@pytest.mark.parametrize("arguments", TYPED, ids=lambda words: " ".join(words).replace(SECRET, "X"))
def test_a_secret_that_was_typed_is_not_repeated(prepared: Project, arguments: list[str]) -> None:
    """Errors and answers have it masked."""
    prepared.cli("start", "A session", CLAUDE_CODE_SESSION_ID="one")
    reply = prepared.cli(*arguments, CLAUDE_CODE_SESSION_ID="one")
    assert SECRET not in shown(reply)
    assert "[masked]" in shown(reply)


@pytest.mark.parametrize(
    "command",
    [
        *("task add", "task complete --next", "loop add", "loop add X --context", "plan propose", "start", "discuss"),
        *("rename one", "pause --note", "sync --json", "update action=started agent=tests session_id=z"),
    ],
)
def test_bytes_that_are_not_utf_8_are_refused(prepared: Project, command: str) -> None:
    """They would be left out of the text without a word."""
    prepared.cli("start", "A session", CLAUDE_CODE_SESSION_ID="one")
    before = prepared.state_files()[0].read_bytes()
    text = {"sync": '{"Focus": "a\udcffb"}', "update": "purpose=a\udcffb"}.get(command.split(maxsplit=1)[0], "a\udcffb")
    reply = prepared.cli(*command.split(), text, CLAUDE_CODE_SESSION_ID="one")
    assert (reply.code, "U+DCFF (a byte that is not UTF-8)" in shown(reply)) == (1, True)
    assert prepared.state_files()[0].read_bytes() == before


@pytest.mark.parametrize(
    "path",
    ["src/auth/token_store.py", "notes/2026-03-06-password-reset-of-the-shop.md", "a/b-c_d/very/long/way/to/it.md"],
)
def test_an_ordinary_path_is_repeated(prepared: Project, path: str) -> None:
    """An error names the file that is meant."""
    assert path in shown(prepared.cli("audit", path))
    assert path in shown(prepared.cli("show", path))
