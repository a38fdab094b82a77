"""What state files add to a person's commits: few files, few lines, and a tree that is clean when Claude committed."""

from __future__ import annotations

import pytest

from tests.linters import work
from tests.support.hooks import Project, here

__all__ = ["here"]

MOST = 20  # lines beyond the skeleton, after ten turns
FORMATS = ("agents", "gsd-lite", "n5")


def _lines(text: str) -> int:
    """Return how many lines of a file are no frontmatter, heading, rule, comment or blank line."""
    body = text.partition("\n---\n")[2].splitlines()
    return sum(bool(line.strip("> ")) and not line.startswith(("#", "---", "<!--")) for line in body)


@pytest.mark.parametrize("name", FORMATS)
def test_a_commit_by_hand_carries_at_most_the_files_of_three_sessions(here: Project, name: str) -> None:
    """Two source files after three sessions of ten turns: each session's file, no other one, and short."""
    here.cli("init", "--shared", "--yes")
    here.git("add", ".")
    here.git("commit", "-qm", "Prepare")
    skeletons = {}
    for session in ("one-1", "two-2", "three-3"):
        here.fire("SessionStart", session)
        started = here.cli("start", "--format", name, f"Work {session}", CLAUDE_CODE_SESSION_ID=session)
        path = here.root / started.out.splitlines()[-1].split()[-1]
        skeletons[path] = _lines(path.read_text())
        for turn in range(10):
            here.fire("UserPromptSubmit", session, prompt=f"Change the sums, part {turn}")
            source = here.root / f"src/{'ab'[turn % 2]}.py"
            source.parent.mkdir(exist_ok=True)
            source.write_text(f"x = {turn}  # {session}\n")
            here.edit(str(source), session)
            here.fire("Stop", session, last_assistant_message=work.ANSWER)
            here.settled()
        here.fire("SessionEnd", session)
    here.settled()
    here.git("add", "src")
    here.git("commit", "-qm", "Two files")
    names = here.git("show", "--name-only", "--format=").split()
    assert {"src/a.py", "src/b.py"} < {*names}
    assert {here.root / one for one in names if one[:4] != "src/"} <= {*skeletons}
    grown = {str(path): _lines(path.read_text()) - most for path, most in skeletons.items()}
    assert max(grown.values()) <= MOST, grown


@pytest.mark.parametrize("name", FORMATS)
def test_after_a_turn_that_commits_and_pushes_the_tree_is_clean(here: Project, name: str) -> None:
    """Nothing is left to be committed, and `git pull --rebase` works."""
    remote = here.folder / "remote.git"
    here.git("init", "-q", "--bare", "-b", "main", str(remote))
    here.git("remote", "add", "origin", str(remote))
    here.cli("init", "--shared", "--yes")
    here.git("add", ".")
    here.git("commit", "-qm", "Prepare")
    here.fire("SessionStart", "one-1")
    here.cli("start", "--format", name, "Work", CLAUDE_CODE_SESSION_ID="one-1")
    here.fire("UserPromptSubmit", "one-1", prompt="Change the sums, commit and push")
    (here.root / "a.py").write_text("x = 1\n")
    here.edit(str(here.root / "a.py"), "one-1")
    command = "git add -A && git commit -qm Sums && git push -q -u origin main"
    tool = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "toolu_9"}
    here.fire("PreToolUse", "one-1", **tool)
    for words in (("add", "-A"), ("commit", "-qm", "Sums"), ("push", "-q", "-u", "origin", "main")):
        here.git(*words)
    here.fire("PostToolUse", "one-1", **tool, tool_response={"stdout": "", "stderr": ""})
    here.fire("Stop", "one-1", last_assistant_message="Committed and pushed.")
    here.fire("SessionEnd", "one-1")
    here.settled()
    assert here.git("status", "--porcelain") == ""
    here.git("pull", "-q", "--rebase")
