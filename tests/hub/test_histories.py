"""Random histories of a hub: updates, settles, people, a formatter, git; a model knows who changed what."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.support import updates
from tests.support.examples import times
from tests.support.hooks import Project

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

EMPTY = f"# Session State\n\nOurs.\n\n{updates.ACTIVE}\n\n{updates.HISTORY}\n"
IDENTS = ("up-1", "up-2", "up-3")
SESSION = "client-1"
READ = 3.0  # seconds after a write, in which a person has read what was written

Step = tuple[str, int]


class History:
    """A project's hub while it is changed, and what has to be in it: the status of each entry, and notes."""

    def __init__(self, project: Project) -> None:
        self.project = project
        (project.root / ".agents").mkdir()
        (project.root / ".agents/holdfast.toml").touch()
        project.variables["HOLDFAST_HUB"] = "tracked"
        self.path = updates.put(project, EMPTY)
        self.entries: dict[str, str] = {}
        self.notes: list[str] = []
        self.kept = False  # whether the client's session ever had an entry
        self.commits = [(project.git("rev-parse", "HEAD").strip(), dict(self.entries), list(self.notes))]

    def update(self, number: int) -> None:
        """Begin a session, or give it another status."""
        ident = IDENTS[number % len(IDENTS)]
        action = ("in_progress", "paused", "waiting", "completed")[number % 4] if ident in self.entries else "started"
        self.project.cli("update", f"action={action}", "agent=git", f"session_id={ident}", f"purpose=Part {ident}")
        self.entries[ident] = {"started": "active", "in_progress": "active"}.get(action, action)

    def work(self, number: int) -> None:
        """Let the client's session change a file, and settle it; an entry that was removed does not come back."""
        self.project.remember(SESSION, {"kind": "start", "host": "elsewhere", "branch": "main"})
        self.project.remember(SESSION, {"kind": "edit", "path": f"src/{number}.py"})
        assert self.project.cli("settle").code == 0
        if not self.kept:
            self.entries[SESSION], self.kept = "active", True

    def note(self, number: int) -> None:
        """Let a person add a note, who has read all that was written."""
        self._save(self._noted(self.path.read_text(), number), READ)

    def overtaken(self, number: int) -> None:
        """Let a program add a note to the copy that it read before an update."""
        before = self.path.read_text()
        self.update(number)
        self._save(self._noted(before, number), 0.0)

    def remove(self, number: int) -> None:
        """Let a person remove an entry, for an even number with a note."""
        ident = [*IDENTS, SESSION][number % 4]
        if ident not in self.entries:
            return
        text = re.sub(rf"(?s)### (?:(?!### ).)*?`{ident}`.*?(?=\n##|\Z)", "", self.path.read_text())
        self._save(text if number % 2 else self._noted(text, number), READ)
        del self.entries[ident]

    def format(self, _number: int) -> None:
        """Let a formatter write the file, which changes blank lines only."""
        self._save(self.path.read_text().replace("\n\n### ", "\n\n\n### "), READ)

    def commit(self, _number: int) -> None:
        """Commit all there is."""
        self.project.git("add", "--all")
        self.project.git("commit", "--quiet", "--allow-empty", "--message", "all")
        head = self.project.git("rev-parse", "HEAD").strip()
        self.commits.append((head, dict(self.entries), list(self.notes)))

    def checkout(self, number: int) -> None:
        """Take the hub of an earlier commit; git wins."""
        commit, entries, notes = self.commits[number % len(self.commits)]
        self.project.git("checkout", "--quiet", commit, "--", updates.NAME)
        self.entries, self.notes = dict(entries), list(notes)

    def _noted(self, text: str, number: int) -> str:
        self.notes.append(f"Note {len(self.notes)} of {number}.")
        return text.replace("Ours.\n", f"Ours.\n{self.notes[-1]}\n", 1)

    def _save(self, text: str, later: float) -> None:
        """Save the hub so many seconds after its last write."""
        saved = self.path.stat().st_mtime + later
        self.path.write_text(text)
        os.utime(self.path, (saved, saved))

    def check(self) -> None:
        """Compare the hub with the model."""
        text = self.path.read_text()
        shown = {ident: one.fields["Status"] for ident, one in updates.entries(text).items()}
        assert shown == self.entries
        assert [note for note in self.notes if text.count(f"{note}\n") != 1] == []


ACTS = ("update", "update", "work", "note", "overtaken", "remove", "format", "commit", "checkout")
STEPS = st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 11)), min_size=3, max_size=8)


@settings(max_examples=times(0.12), suppress_health_check=[HealthCheck.too_slow])
@example([("work", 0), ("update", 0), ("remove", 0), ("work", 1), ("remove", 3), ("work", 2)])
@example([("update", 0), ("commit", 0), ("update", 1), ("checkout", 1), ("note", 1), ("work", 1)])
@example([("update", 0), ("overtaken", 1), ("format", 0), ("overtaken", 0), ("work", 1)])
@given(STEPS)
def test_each_change_counts_as_its_author_meant_it(
    tmp_path_factory: pytest.TempPathFactory, plugin_copy: Path, packages: Path, steps: list[Step]
) -> None:
    """After any history the hub has what updates and people said last, unless git took it back."""
    history = History(Project(tmp_path_factory.mktemp("history"), plugin_copy, packages))
    for act, number in steps:
        getattr(history, act)(number)
        if act == "overtaken":  # what was lost for a moment is written again with the next write
            assert history.project.cli("settle").code == 0
        history.check()
    history.update(0)
    history.check()
