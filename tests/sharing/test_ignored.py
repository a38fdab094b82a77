"""Paths that `.holdfastignore` names are recognised as git recognises them, and however a text spells them."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from holdfast.sharing import ignored
from holdfast.sharing.ignored import Patterns

if TYPE_CHECKING:
    from pathlib import Path

PATTERNS = ["zsecret/", "*.zkey", "/zdocs/plans/**", "zÜber/", "zonly.md", "zdeep/**/zend.md", "my zfolder/"]
SPELLED = [
    "zsecret/plan.md",
    r"zsecret\/plan.md",
    r"zsecret\\\/plan.md",
    r"zsecret\u002fplan.md",
    r"\u007asecret/plan.md",
    "zsecret%2Fplan.md",
    "zsecret%252fplan.md",
    "z%73ecret/plan.md",
    r"zsecret\plan.md",
    r"C:\src\zsecret\plan.md",
    r"zsecret\\plan.md",
    "zsecret&#47;plan.md",
    "zsecret&#x2F;plan.md",
    "zsecret&sol;plan.md",
    r'"z\303\234ber/plan.md"',
    r"z\\303\\234ber/plan.md",
    "z%C3%9Cber/plan.md",
    "my%20zfolder/plan.md",
    "plan.zkey…",
    "「plan.zkey」",
    "“plan.zkey”",
    "\uff08plan.zkey\uff09\u3001",
    "plan.zkey#L10",
    "plan.zkey?x",
    "plan.zkey~",
    r"plan\.zkey",
    "plan%2Ezkey",
    r"a\nplan.zkey\tb",
    "&lt;plan.zkey&gt;",
    "/srv/project/zdocs/plans/plan.md",
]
OTHER = [
    "open.py and src/plan.md",
    r"src\/plan.md, src\plan.md, src%2Fplan.md, C:\new\plan.md",
    "a 100% plan & more: a&b, x\\n, \\d+ 「plan」 wait… for…",
    "zsecretplan.md, docs/plans/plan.md, zdocs/plan.md, zonly.md5",
    "https://host.example/plan?a=b%20c&amp;d#plan",
]
CUT = [
    "zsecret",
    "zsecret/pl",
    "zsec",
    "z",
    "plan.zkey",
    "plan.zk",
    "src/plan.",
    "zdocs/pla",
    "zonl",
    "zdeep/a/ze",
    "zÜ",
]


def _hidden(text: str) -> str:
    return ignored.hider(Patterns(PATTERNS), "/srv/project", [])(text)


@pytest.mark.parametrize("path", SPELLED)
def test_an_ignored_path_is_hidden_however_it_is_spelled(path: str) -> None:
    """As JSON, addresses, HTML, Markdown, Windows and git write it, and beside brackets and signs."""
    for text in (path, f"see {path}.", f"a, `{path}` and b", f"title: {path}\nnext"):
        hidden = _hidden(text)
        assert ignored.MASK in hidden
        assert "plan" not in hidden
        assert "zfolder" not in hidden


@pytest.mark.parametrize("text", OTHER)
def test_other_paths_and_words_stay(text: str) -> None:
    """What no pattern matches is sent as it is."""
    assert _hidden(text) == text


@pytest.mark.parametrize("cut", CUT)
def test_an_ignored_path_that_was_cut_is_hidden(cut: str) -> None:
    """A title that is too long may end within a path; what may be the beginning of an ignored one is not sent."""
    assert _hidden(f"edit the {cut}…") == f"edit the {ignored.MASK}…"


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        (r"zlit\*x.md", "zlit*x.md"),
        (r"zlit\?x.md", "zlit?x.md"),
        (r"z\[a]x.md", "z[a]x.md"),
        (r"\#x.md", "#x.md"),
        (r"\!x.md", "!x.md"),
        (r"z\x.md", "zx.md"),
        (r"z[^a]x.md", "zbx.md"),
        (r"z[!a]x.md", "zbx.md"),
        (r"a\ b.md", "a b.md"),
    ],
)
def test_patterns_mean_what_they_mean_to_git(tmp_path: Path, pattern: str, path: str) -> None:
    """A sign after a backslash is that sign, and a class that begins with `^` has all other characters."""
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / ".gitignore").write_text(pattern + "\n")
    for name in (path, path.replace("x", "y"), path.replace("z", "zq", 1), path[1:]):
        done = subprocess.run(["git", "-C", tmp_path, "check-ignore", "-q", "--", name], check=False)
        assert Patterns([pattern])(name) is (done.returncode == 0), name
