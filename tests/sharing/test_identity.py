"""What a signature is about: one machine, one project, one state. With real keys."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.git import objects
from tests.support import crafted
from tests.support.machines import Machines, listed, now, worked

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project


@pytest.fixture
def pair(machines: Machines) -> tuple[Project, Project]:
    """Give a machine with a session, and one that trusts its person and has seen the session."""
    ann, bob = machines.add("ann"), machines.add("bob")
    worked(ann, "one", "Fix the tax")
    now(ann)
    now(bob)
    assert bob.cli("trust", "--person", "ann", "--yes").code == 0
    return ann, bob


def own_ref(one: Project) -> str:
    """Return the ref that a clone writes."""
    return one.git("for-each-ref", "--format=%(refname)", "refs/holdfast").split()[0]


def notes(one: Project) -> str:
    """Return what `share status` says."""
    return one.cli("share", "status").out


def test_a_ref_that_was_deleted_and_put_back_is_no_news(machines: Machines, pair: tuple[Project, Project]) -> None:
    """Its sessions are listed again, with the contact that they had; an older state of the ref is not taken."""
    ann, bob = pair
    ref = own_ref(ann)
    old = machines.git("rev-parse", ref).strip()
    worked(ann, "two", "Sum the totals", "b.py")
    now(ann)
    now(bob)
    tip = machines.git("rev-parse", ref).strip()
    machines.git("update-ref", "-d", ref)
    now(bob)
    assert listed(bob).keys() == set()
    path = next((bob.store / "sharing/machines").iterdir())
    row = json.loads(path.read_text())
    path.write_text(json.dumps({**row, "contact": row["contact"] - 7200}))
    machines.git("update-ref", ref, old)
    bob.cli("share", "now")
    assert listed(bob).keys() == set()
    assert "older than what was read" in notes(bob)
    machines.git("update-ref", ref, tip)
    now(bob)
    assert listed(bob).keys() == {"one", "two"}
    assert not listed(bob)["two"]["live"]
    assert bob.fire("PreToolUse", "x", tool_input={"file_path": "b.py"}).out == ""


def test_a_state_of_another_project_is_not_of_this_one(machines: Machines) -> None:
    """The same person, key and machine work in two projects; who can push moves the ref of one to the other."""
    bob = machines.add("bob")
    (machines.folder / "other").mkdir()
    other = Machines(machines.folder / "other", bob.plugin, machines.packages)
    ann = other.add("ann", sign=False, on=False)
    machines.sign(ann, "ann")
    ann.git("commit", "-q", "--amend", "--allow-empty", "-m", "the first commit of another project")
    assert ann.cli("share", "on").code == 0
    worked(ann, "one", "The other project")
    now(ann)
    ref = own_ref(ann)
    own = machines.add("own", sign=False, on=False)
    machines.sign(own, "ann")
    worked(own, "two", "This project")
    assert own.cli("share", "on").code == 0
    now(bob)
    assert bob.cli("trust", "--person", "ann", "--yes").code == 0
    machines.git("fetch", "-q", str(other.remote), f"{ref}:{ref}")
    bob.cli("share", "now")
    assert listed(bob).keys() == {"two"}
    assert "signed for another project" in notes(bob)


def test_an_ordinary_signed_commit_is_no_machine(machines: Machines, pair: tuple[Project, Project]) -> None:
    """Its tree has the right names, and a trusted person made it, in whatever repository."""
    _, bob = pair
    row = crafted.summary(title="Obey the walrus")
    tree = {"machine.json": crafted.about(), crafted.MONTH: {"bad": {"summary.json": row}}}
    crafted.committed(machines.remote, machines.folder, tree, machines.folder / "key-ann")
    bob.cli("share", "now")
    assert listed(bob).keys() == {"one"}
    assert "none that holdfast made" in notes(bob)


@pytest.mark.parametrize("part", ["sessions", "ref", "machine.json"])
def test_a_signature_covers_all(machines: Machines, pair: tuple[Project, Project], part: str) -> None:
    """Other sessions below it, another machine's ref, or another machine.json: nothing of that is believed."""
    _, bob = pair
    tree = {"machine.json": crafted.about(), crafted.MONTH: {"bad": {"summary.json": crafted.summary()}}}
    root = bob.git("rev-list", "--max-parents=0", "HEAD").strip()
    sealed = crafted.sealed(machines.remote, tree, machines.folder / "key-ann", root)
    machine = crafted.MACHINE
    if part == "sessions":
        sealed[crafted.MONTH] = {"bad": {"summary.json": crafted.summary(title="Obey")}}
    elif part == "ref":
        machine = "0" * 20
    else:
        sealed["machine.json"] = sealed["machine.json"].replace(b"host-x", b"host-y")
    crafted.push(machines.remote, sealed, machine=machine)
    bob.cli("share", "now")
    assert not any(row["trusted"] for ident, row in listed(bob).items() if ident == "bad")


def test_what_is_signed_for_this_project_counts(machines: Machines, pair: tuple[Project, Project]) -> None:
    """So each of the others fails for its own reason."""
    _, bob = pair
    machines.sealed(
        bob, {"machine.json": crafted.about(), crafted.MONTH: {"good": {"summary.json": crafted.summary()}}}, "ann"
    )
    now(bob)
    assert listed(bob)["good"]["person"] == "ann"


def test_a_project_is_recognised_without_its_history(machines: Machines) -> None:
    """A shallow clone, or one without a commit, has the place of its remote."""
    ann, bob = machines.add("ann", on=False), machines.add("bob")
    ann.git("checkout", "-q", "--orphan", "fresh")
    assert ann.cli("share", "on").code == 0
    worked(ann, "one", "Fix the tax")
    now(ann)
    now(bob)
    assert bob.cli("trust", "--person", "ann", "--yes").code == 0
    assert listed(bob)["one"]["person"] == "ann"


def test_signing_that_begins_later_takes_effect_with_the_next_exchange(machines: Machines) -> None:
    """Until then `share status` says what to type."""
    ann, bob = machines.add("ann", sign=False), machines.add("bob")
    worked(ann, "one", "Fix the tax")
    now(ann)
    assert "gpg.format ssh" in notes(ann)
    now(bob)
    assert bob.cli("trust", "--person", "ann", "--yes").code == 1
    machines.sign(ann, "ann")
    assert "gpg.format ssh" not in notes(ann)
    now(ann)
    now(bob)
    assert bob.cli("trust", "--person", "ann", "--yes").code == 0
    assert listed(bob)["one"]["person"] == "ann"


@pytest.mark.usefixtures("unasked")
@pytest.mark.parametrize("off", [False, True])
def test_forget_removes_each_ref_that_the_clone_had(machines: Machines, *, off: bool) -> None:
    """Also that of an id before a backup was restored, and after `share off`."""
    ann = machines.add("ann")
    worked(ann, "one", "Fix the tax")
    now(ann)
    backup = {name: (ann.store / name).read_bytes() for name in ("sharing/on", "sharing-sent")}
    ref = own_ref(ann)
    tip = ann.git("rev-parse", ref).strip()
    worked(ann, "two", "Sum the totals", "b.py")
    now(ann)
    for name, data in backup.items():
        (ann.store / name).write_bytes(data)
    ann.git("update-ref", ref, tip)
    worked(ann, "three", "After the backup", "c.py")
    assert "has a new one now" in now(ann).out
    assert len(machines.git("for-each-ref").splitlines()) == 2
    if off:
        assert ann.cli("share", "off").code == 0
    assert ann.cli("share", "forget", "--yes").code == 0
    assert machines.git("for-each-ref") == ""
    assert ann.cli("share", "forget", "--yes").code == 1


def test_no_success_is_reported_above_an_error(machines: Machines, tmp_path: Path) -> None:
    """And once its cause has gone, doctor shows it no more."""
    ann = machines.add("ann")
    away = machines.remote.rename(tmp_path / "away")
    worked(ann, "one", "Fix the tax")
    assert ann.cli("share", "now").code == 1
    assert "just now" not in notes(ann)
    assert notes(ann).startswith("The last exchange with origin failed")
    assert "✗ sharing" in ann.cli("doctor").out
    away.rename(machines.remote)
    assert not {"✗ sharing:", "✗ errors:"} & {" ".join(line.split()[:2]) for line in ann.cli("doctor").out.splitlines()}
    assert "failed" not in notes(ann)


def test_a_small_ref_that_unpacks_to_much_costs_little(machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty months of 5,000 sessions that name one folder with a large summary: part is read, and named once."""
    read, size = objects.read, [0]

    def counted(*arguments: Any) -> list[bytes | None]:
        found = read(*arguments)
        size[0] += sum(len(data or b"") for data in found)
        return found

    monkeypatch.setattr(objects, "read", counted)
    row = crafted.summary(title="x", files={f"{'x' * 380}{number}": 1 for number in range(320)})
    folder = {"summary.json": row}
    month = {f"s{number:05}": folder for number in range(5000)}
    months = {f"20{year}-{number:02}": month for year in range(21, 25) for number in range(1, 11)}
    machines.add("ann")
    crafted.push(machines.remote, {"machine.json": crafted.about(), **months})
    bob = machines.add("bob")
    assert size[0] < 20 << 20  # 25 GB are in the ref
    assert len(listed(bob)) <= 100
    assert notes(bob).count("feedfe") == 1
    assert max(path.stat().st_size for path in (bob.store / "sharing/machines").iterdir()) < 1 << 20


def test_the_signed_come_before_the_unsigned(machines: Machines) -> None:
    """However many unsigned sessions there are, those of trusted people are in list, brief and warnings."""
    ann, bob = machines.add("ann"), machines.add("bob")
    worked(ann, "one", "Fix the tax")
    now(ann)
    flood = {f"s{number}": {"summary.json": crafted.summary(heard=int(time.time()) + 50)} for number in range(90)}
    crafted.push(machines.remote, {"machine.json": crafted.about(), crafted.MONTH: flood})
    now(bob)
    assert bob.cli("trust", "--person", "ann", "--yes").code == 0
    assert bob.cli("list").out.startswith("one\t")
    assert "Fix the tax" in bob.cli("brief").out
    assert "ann's session" in bob.fire("PreToolUse", "two", tool_input={"file_path": "src/cart.py"}).out
