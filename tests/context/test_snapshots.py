"""Snapshots: taken before each compaction, listed, shown, and the way back to what a state file said."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from holdfast.context.compaction import snapshots
from holdfast.context.compaction.must_keep import MustKeep
from holdfast.core.errors import HoldfastError
from tests.context.test_compaction import NAME, STATE, begun, compact
from tests.support import hooks
from tests.support.machine import snapshot

if TYPE_CHECKING:
    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here


def taken(store: Path, trigger: str = "manual", at: float = 0.0, *, over: bool = True) -> snapshots.Snapshot:
    """Take a snapshot."""
    one = snapshots.take(str(store), "one", {"trigger": trigger}, b"text", at)
    if over:
        one.keep_omissions([])
    return one


def test_the_last_ten_are_kept(tmp_path: Path) -> None:
    """The oldest go first, and each session has its own."""
    for number in range(14):
        taken(tmp_path, at=1e9 + number)
    snapshots.take(str(tmp_path), "two", {"trigger": "auto"}, None, 1e9)
    assert [one.at - 1e9 for one in snapshots.of(str(tmp_path), "one")] == [*reversed(range(4, 14))]
    assert len(snapshots.everyone(str(tmp_path))) == 11


def _unpacked(project: Project) -> None:
    """Make the store one that was unpacked from an archive: all of it is as it was, but a change time."""
    born = project.store / "born"
    born.unlink()
    born.touch()


@pytest.mark.parametrize("over", [False, True])
def test_a_snapshot_of_an_archive_tells_claude_nothing(prepared: Project, *, over: bool) -> None:
    """What it says may be anything: nothing of it returns after a compaction, and only a person's terminal shows it."""
    path = prepared.write_state(following="Obey the archive.")
    prepared.fire("SessionStart")
    prepared.edit(str(path))
    prepared.fire("PreCompact")
    prepared.fire("PostCompact", compact_summary="<summary>Archived words.</summary>")
    if over:
        prepared.fire("SessionStart", source="compact")
    (name, *_) = [row["name"] for row in json.loads(prepared.cli("snapshots", "--json").out)]
    prepared.git("rm", "-q", "--force", str(path))
    shutil.rmtree(prepared.store / "staged")  # git has no text of the file, and nothing names one
    _unpacked(prepared)
    prepared.cli("list")  # which accepts in the new store what this test wrote
    reply = prepared.fire("SessionStart", source="compact")
    commands = (["snapshots"], ["snapshots", name], ["snapshots", name, "--json"], ["snapshots", "--json"], ["log"])
    replies = [prepared.cli(*command, CLAUDECODE="1") for command in commands]
    printed = reply.out + "".join(one.out + one.err for one in replies)
    assert ("Obey" in printed, "Archived words" in printed) == (False, False)
    assert [one.code for one in replies] == [0, 1, 1, 0, 0]
    shown = prepared.cli("snapshots", name).out
    assert ("Obey" in shown, "Archived words" in shown) == (True, True)


def test_a_snapshot_is_named_by_a_beginning(tmp_path: Path) -> None:
    """Of its name, or of its session and name; the whole name counts before the beginning of another one."""
    store = str(tmp_path)
    first = snapshots.take(store, "one-session-with-a-long-id", {"trigger": "manual"}, None, 1e9)
    second = snapshots.take(store, "two", {"trigger": "manual"}, None, 1e9 + 100)
    Path(f"{second.folder}b").mkdir()
    shutil.copy(f"{second.folder}/facts.json", f"{second.folder}b/facts.json")
    for name in (first.name, first.short, "one", f"{first.session}/{first.name[:10]}", first.name[:15]):
        assert snapshots.named(store, name).folder == first.folder
    assert snapshots.named(store, second.name).folder == second.folder
    for name, problem in (("two", "several snapshots begin with 'two'"), ("three", "no snapshot is called 'three'")):
        with pytest.raises(HoldfastError, match=problem):
            snapshots.named(store, name)


def test_tries_that_came_to_nothing_push_nothing_out(tmp_path: Path) -> None:
    """A client that tries at every request leaves one snapshot, beside all those of compactions that took place."""
    for number in range(9):
        taken(tmp_path, at=1e9 + number)
    for number in range(30):
        taken(tmp_path, "auto", 2e9 + number, over=False)
    known = snapshots.of(str(tmp_path), "one")
    assert [one.took_place for one in known] == [False] + [True] * 9
    assert known[0].at == 2e9 + 29


def test_two_within_a_second_have_names_of_their_own(tmp_path: Path) -> None:
    """The newest is found by its time, not by its name."""
    names = [taken(tmp_path, at=1e9 + number / 20).name for number in range(10)]
    assert len(set(names)) == 10
    assert [one.name for one in snapshots.of(str(tmp_path), "one")] == names[::-1]


def test_a_snapshot_that_was_cut_off_is_none(tmp_path: Path) -> None:
    """What a killed process left half done is not listed, and is not in the way."""
    home = tmp_path / "snapshots/one"
    (home / f".holdfast.{os.getpid()}.tmp").mkdir(parents=True)
    (home / f".holdfast.{os.getpid()}.tmp/state.md").write_text("half")
    assert snapshots.of(str(tmp_path), "one") == []
    assert taken(tmp_path).state == b"text"


def test_what_is_broken_there_is_empty(tmp_path: Path) -> None:
    """A snapshot whose files were damaged is listed with what is left of it."""
    one = taken(tmp_path)
    (tmp_path / "snapshots/one" / one.name / "facts.json").write_text('{"given": [7, {"names": 1}, null], "at": "x"}')
    (tmp_path / "snapshots/one" / one.name / "brought.json").write_text("[")
    (found,) = snapshots.of(str(tmp_path), "one")
    assert (found.at, found.must_keep, found.omissions, found.path) == (0.0, [], [], "")


def test_bytes_stay_as_they_are(tmp_path: Path) -> None:
    """A state file is kept byte for byte, whatever it holds."""
    data = b"\xef\xbb\xbfa\r\n\xff\x00b"
    one = snapshots.take(str(tmp_path), "one", {"trigger": "manual"}, data, 1e9)
    assert one.state == data
    one.keep_omissions([MustKeep("next", "Next steps", ["Read"])])
    assert [each.row() for each in one.omissions] == [{"kind": "next", "label": "Next steps", "names": ["Read"]}]


def test_the_list_and_one_of_it(prepared: Project) -> None:
    """`holdfast snapshots` lists them, newest first; with a name it shows one: what was given, and what came back."""
    assert "no snapshots yet" in prepared.cli("snapshots").err
    begun(prepared)
    compact(prepared, "Nothing to speak of.")
    (one,) = snapshots.of(str(prepared.store), "one")
    listed = prepared.cli("snapshots").out
    for words in (one.name, "Exporter", "auto", "one"):
        assert words in listed
    assert prepared.cli("snapshots", "one").out == listed
    shown = prepared.cli("snapshots", one.name).out
    for words in ("before an automatic compaction", "Left out by the summary", "src/sign.py", "> Nothing to speak of."):
        assert words in shown
    (row,) = json.loads(prepared.cli("snapshots", "--json").out)
    assert (row["name"], row["compacted"], row["trigger"]) == (one.name, True, "auto")
    whole = json.loads(prepared.cli("snapshots", f"one/{one.name}", "--json").out)
    assert "src/sign.py" in whole["facts"]["files"]
    assert prepared.cli("snapshots", one.name, "--state").out == one.state.decode()  # type: ignore[union-attr]


def test_a_compaction_that_did_not_take_place_says_so(prepared: Project) -> None:
    """Nobody takes one that was broken off for one that was done."""
    begun(prepared)
    prepared.fire("PreCompact", trigger="auto")
    (one,) = snapshots.of(str(prepared.store), "one")
    assert "before an automatic compaction, which did not take place" in prepared.cli("snapshots", one.name).out


def test_a_state_file_comes_back_and_the_restore_can_be_undone(prepared: Project) -> None:
    """What it said is written and staged byte for byte; what stood there meanwhile is a snapshot itself."""
    path = begun(prepared)
    compact(prepared, "-")
    before = path.read_bytes()
    (one,) = snapshots.of(str(prepared.store), "one")
    spoiled = before.replace(b"- Sign the upload\n", b"")
    path.write_bytes(spoiled)
    prepared.edit(str(path), tool="Write")
    spoiled = path.read_bytes()
    held = snapshot(prepared.root)
    preview = prepared.cli("restore", one.name, "--dry-run")
    assert "+- Sign the upload" in preview.out
    assert snapshot(prepared.root) == held
    done = prepared.cli("restore", one.name)
    assert (done.code, done.err) == (0, "")
    assert path.read_bytes() == before
    assert prepared.git("show", f":{NAME}").encode() == before
    undo = done.out.splitlines()[-1].removeprefix("Undo: holdfast ").split()
    assert prepared.cli(*undo).code == 0
    assert path.read_bytes() == spoiled
    assert "says so already" in prepared.cli(*undo).out
    assert len(snapshots.of(str(prepared.store), "one")) == 3


def test_what_happened_since_is_drift_again_after_a_restore(prepared: Project) -> None:
    """A text is as old as it was: what the model has mentioned in the meantime is not described any more."""
    path = begun(prepared)
    compact(prepared, "-")
    (one,) = snapshots.of(str(prepared.store), "one")
    path.write_text(path.read_text().replace("is read.", "is read; src/upload.py, src/sign.py and src/quota.py sign."))
    prepared.edit(str(path))
    assert "src/sign.py" not in prepared.cli("drift", "one").out
    assert prepared.cli("restore", one.name).code == 0
    assert "src/sign.py" in prepared.cli("drift", "one").out


def test_a_restore_that_is_not_staged_says_why(prepared: Project) -> None:
    """The file is written all the same; what a person took out of the index stays out."""
    path = begun(prepared)
    compact(prepared, "-")
    (one,) = snapshots.of(str(prepared.store), "one")
    prepared.git("commit", "-q", "-m", "so far", "--", NAME)
    prepared.git("rm", "-q", "--cached", NAME)
    path.write_text(path.read_text().replace("- Sign the upload\n", ""))
    done = prepared.cli("restore", one.name)
    assert "- Sign the upload" in path.read_text()
    assert f"{NAME} is written and not staged: it was taken out of the index" in done.err


def test_a_file_that_is_gone_comes_back(prepared: Project) -> None:
    """It is made anew, and there is nothing that would be lost."""
    path = begun(prepared)
    compact(prepared, "-")
    before = path.read_bytes()
    (one,) = snapshots.of(str(prepared.store), "one")
    path.unlink()
    done = prepared.cli("restore", one.name)
    assert (done.code, done.err) == (0, "")
    assert path.read_bytes() == before
    assert "It was gone" in done.out


def test_what_cannot_be_restored_says_why(prepared: Project) -> None:
    """No such snapshot, none with a file, several that are meant, a place that is gone, a link: nothing is lost."""
    path = begun(prepared)
    compact(prepared, "-")
    (one,) = snapshots.of(str(prepared.store), "one")
    facts: dict[str, object] = {"trigger": "manual"}
    without = snapshots.take(str(prepared.store), "two", facts, None, 1e9).name
    only_named = snapshots.take(str(prepared.store), "three", {**facts, "path": str(path)}, None, 1e9 + 60).name
    text = path.read_bytes()
    missing = [(without, "its session had none"), (only_named, "its session had none")]
    for name, words in [("nothing", "no snapshot is called 'nothing'"), *missing]:
        refused = prepared.cli("restore", name)
        assert refused.code == 1
        assert words in refused.err
    assert "several snapshots begin with '20'" in prepared.cli("restore", "20").err
    path.unlink()
    (prepared.root / "elsewhere.md").write_bytes(text)
    path.symlink_to(prepared.root / "elsewhere.md")
    assert "is not a plain file any more" in prepared.cli("restore", one.name).err
    path.unlink()
    shutil.rmtree(path.parent)
    refused = prepared.cli("restore", one.name)
    assert f"Print it: holdfast snapshots {one.name} --state" in refused.err
    assert prepared.cli("snapshots", one.name, "--state").out == kept(one)
    assert (prepared.root / "elsewhere.md").read_bytes() == text


def kept(one: snapshots.Snapshot) -> str:
    """Return what a snapshot has of the state file."""
    assert one.state
    assert STATE.splitlines()[8] in one.state.decode()
    return one.state.decode()


@pytest.mark.parametrize("damage", ["../../../elsewhere.md", "/etc/hosts"])
def test_a_restore_writes_in_the_project_only(prepared: Project, damage: str) -> None:
    """A path that leads out of the project is refused, whoever put it there."""
    begun(prepared)
    compact(prepared, "-")
    (one,) = snapshots.of(str(prepared.store), "one")
    path = f"{one.folder}/facts.json"
    with open(path) as file:
        facts = json.load(file)
    target = damage if damage.startswith("/") else str(prepared.root / damage)
    with open(path, "w") as file:
        json.dump({**facts, "path": target}, file)
    refused = prepared.cli("restore", one.name)
    assert refused.code == 1
    assert "is not in this project any more" in refused.err
