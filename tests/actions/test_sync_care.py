"""What an owner of state files would fear: text that goes with a placeholder, half values, keys that say it twice."""

from __future__ import annotations

import os
import re
import shutil
from typing import TYPE_CHECKING

import pytest

from holdfast.core.errors import HoldfastError
from holdfast.editing import store
from tests.hazards import shapes
from tests.support import children, hooks

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project, Reply

prepared, here = hooks.prepared, hooks.here
NAME = ".agents/sessions/20260211-080000-export.md"
STEP = "- Try a file of 5 GB\n"


def put(project: Project, text: str, name: str = NAME) -> Path:
    """Write a state file and commit all there is."""
    path = project.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    project.git("add", "--all")
    project.git("commit", "--quiet", "-m", "state")
    return path


def sync(project: Project, wishes: str, ident: str = "20260211") -> Reply:
    """Sync a file through the command line."""
    return project.cli("sync", "--convo-id", ident, "--json", wishes)


@pytest.mark.parametrize(
    ("body", "after"),
    [
        pytest.param("Important fact.\n[fill in]\n", "Important fact.\n[fill in]\n\n- NEW\n", id="a text above it"),
        pytest.param("- TBD (ask Mara, phone 123)\n", "- TBD (ask Mara, phone 123)\n- NEW\n", id="a remark behind it"),
        pytest.param("TBD  \nhard\n", "TBD  \nhard\n\n- NEW\n", id="a text below it"),
        pytest.param("TBD <!-- me -->\n", "TBD <!-- me -->\n\n- NEW\n", id="a comment beside it"),
        pytest.param("- TBD\n  - my notes\n", "- TBD\n  - my notes\n- NEW\n", id="an item below it"),
        pytest.param("- TBD\n", "- NEW\n", id="nothing else"),
        pytest.param("*None yet*\n", "- NEW\n", id="nothing else, in italics"),
        pytest.param("- [what to do]\n- [and then]\n", "- NEW\n", id="two of them"),
    ],
)
def test_a_placeholder_gives_way_only_where_it_says_nothing_else(prepared: Project, body: str, after: str) -> None:
    """What somebody wrote beside a placeholder stays."""
    path = put(prepared, shapes.swap(shapes.AGENTS[1], (STEP, body)))
    assert sync(prepared, '{"Next Steps": ["NEW"]}').code == 0
    assert f"## Next Steps\n{after}\n" in path.read_text()


REFUSED = [
    pytest.param('{"Progress": {"Current Phase": "P"}}', "more cells than the table", id="a bar in code in a row"),
    pytest.param('{"Covered": ["a"], "Covered": ["b"]}', "'Covered' appears twice", id="a key twice"),
    pytest.param('{"Objective": NaN}', "NaN is no value", id="what is no JSON"),
    pytest.param('{"A": {"Metadata": {"Focus": "x"}}}', "deeper than a section and a field", id="keys too deep"),
]


@pytest.mark.parametrize(("wishes", "reported"), REFUSED)
def test_what_is_unclear_is_refused(prepared: Project, wishes: str, reported: str) -> None:
    """Nothing is written where a part of a value, or of what was given, would go unseen."""
    table = "## Progress\n| Overall | 40% |\n|---|---|\n| Current Phase | `a|b` |\n"
    old = "## Progress\n- **Overall:** 40%\n- **Current Phase:** Reading the files\n"
    put(prepared, shapes.swap(shapes.N5[1], (old, table)), "SESSION_STATE.md")
    before = (prepared.root / "SESSION_STATE.md").read_bytes()
    reply = sync(prepared, wishes, "SESSION_STATE")
    assert (reply.code, reported in reply.err) == (1, True), reply.err
    assert (prepared.root / "SESSION_STATE.md").read_bytes() == before


def test_a_title_is_no_focus(prepared: Project) -> None:
    """A title goes where titles stand, and not over what an n5 file is listed by for want of one."""
    path = put(prepared, shapes.N5[1], "SESSION_STATE.md")
    assert sync(prepared, '{"Title": "Invoices"}', "SESSION_STATE").code == 0
    assert "- **Focus:** Import the invoices of 2025\n" in path.read_text()
    assert "\ntitle: Invoices\n" in path.read_text()


def test_all_that_say_the_same_or_none(prepared: Project) -> None:
    """Where one of two places cannot be written the other is not either: the file would contradict itself."""
    text = shapes.swap(shapes.AGENTS[1], ('title: "Move', 'title: &a "Move'))
    path = put(prepared, text)
    reply = sync(prepared, '{"Title": "New"}')
    assert (reply.code, "anchor" in reply.err) == (1, True)
    assert path.read_text() == text


def test_what_is_broken_is_reported_beside_what_is_done(prepared: Project) -> None:
    """An edit of a file that is broken elsewhere says so, with the line."""
    put(prepared, shapes.AGENTS[1] + "\n```\nopen\n")
    reply = sync(prepared, '{"Next Steps": ["NEW"]}')
    assert reply.code == 0
    assert "a code fence that never closes; put that right by hand" in reply.err


def test_a_time_without_a_known_zone_is_reported(prepared: Project) -> None:
    """The time of the last change is not guessed; that it stays is reported."""
    started = "**Started:** 2025-10-30 19:02 ET\n"
    text = shapes.swap(shapes.V1[1], (started, started + "**Last Updated:** 2025-10-30 20:00 ET\n"))
    path = put(prepared, text, "SESSION_STATE.md")
    reply = sync(prepared, '{"Covered": ["Asked for offers"]}', "SESSION_STATE")
    assert reply.code == 0
    assert "**Last Updated:** 2025-10-30 20:00 ET\n" in path.read_text()
    assert "is left as it is: its time zone is unknown" in reply.err


def test_what_its_owner_protected_is_not_written(prepared: Project) -> None:
    """A read-only file, and one that has another name too, are left alone; what to do is reported."""
    path = put(prepared, shapes.AGENTS[1])
    path.chmod(0o444)
    reply = sync(prepared, '{"Next Steps": ["NEW"]}')
    assert (reply.code, f"chmod u+w {NAME}" in reply.err) == (1, True)
    path.chmod(0o644)
    os.link(path, prepared.root / "other.md")
    reply = sync(prepared, '{"Next Steps": ["NEW"]}')
    assert (reply.code, "2 hard links" in reply.err) == (1, True)
    assert path.read_text() == shapes.AGENTS[1]
    spaced = path.with_name("two words.md")
    spaced.write_bytes(b"")
    spaced.chmod(0o444)
    with pytest.raises(HoldfastError, match=re.escape(f"chmod u+w '{spaced}'")):
        store.refuse_protected(str(spaced))


def test_an_ignored_file_is_not_deleted_unasked_and_outlives_a_clean_up(prepared: Project) -> None:
    """What git ignores it does not have: --delete needs --force, and the text is held by a ref."""
    path = put(prepared, shapes.AGENTS[1])
    prepared.git("rm", "--quiet", "--cached", NAME)
    (prepared.root / ".gitignore").write_text(".agents/sessions\n")
    prepared.git("add", "--all")
    prepared.git("commit", "--quiet", "-m", "ignored")
    path.write_text(shapes.AGENTS[1] + "\nNever committed.\n")
    reply = prepared.cli("close", "20260211", "--delete")
    assert (reply.code, path.exists()) == (1, True)
    reply = prepared.cli("close", "20260211", "--delete", "--force")
    assert (reply.code, path.exists()) == (0, False), reply.err
    prepared.git("gc", "--quiet", "--prune=now")
    kept = reply.out.partition("git cat-file -p ")[2].split()[0]
    assert prepared.git("cat-file", "-p", kept).endswith("Never committed.\n")


def test_one_entry_of_a_register(prepared: Project) -> None:
    """Status and audit of an entry tell of that entry alone."""
    put(prepared, shapes.GENIE[1], ".genie/SESSION-STATE.md")
    status = prepared.cli("status", "git-4be2")
    assert (status.code, "(genie)" in status.out) == (0, True), status.err
    whole = prepared.cli("audit", "--convo-id", "SESSION-STATE")
    one = prepared.cli("audit", "--convo-id", "git-4be2")
    assert one.code in {0, 1}
    assert len(one.out.splitlines()) <= len(whole.out.splitlines())


def test_paths_are_meant_from_where_one_says(prepared: Project) -> None:
    """With -C, a path on the command line is one from there."""
    put(prepared, shapes.N5[1], "SESSION_STATE.md")
    deep = prepared.root / "a/b"
    deep.mkdir(parents=True)
    reply = prepared.cli("-C", "../..", "audit", "SESSION_STATE.md", cwd=deep)
    assert "SESSION_STATE.md (n5" in reply.out
    both = prepared.cli("audit", "--convo-id", "x", "SESSION_STATE.md")
    assert (both.code, "not both" in both.err) == (2, True)


POWERLESS = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")  # root is subject to permissions, too
REFUSAL = """if True:
    import sys
    from holdfast.core.errors import HoldfastError
    from holdfast.editing import store
    try:
        store.refuse_protected(sys.argv[1])
    except HoldfastError as error:
        print(error)
"""


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="only root can give a file away")
def test_a_file_of_another_user_is_not_called_read_only(tmp_path: Path) -> None:
    """Where `chmod` would not help, the reason and another command are reported."""
    path = tmp_path / "x.md"
    path.write_text("theirs")
    os.chown(path, 65534, 65534)
    printed = children.finish(children.start(REFUSAL, str(path), around=POWERLESS))
    assert "belongs to another user, or its file system is read-only" in printed
    assert f"Type: ls -l {path}" in printed
    assert "chmod" not in printed
