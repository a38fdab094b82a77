"""Two or three machines and one remote: what is sent, when, and what is left when it ends."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from holdfast.project import paths
from holdfast.sharing import ignored, own_ref
from holdfast.sharing.ignored import NAME
from holdfast.trust import clone
from tests.support.machine import snapshot
from tests.support.machines import listed, now, worked
from tests.support.repository import Repository

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project
    from tests.support.machines import Machines

KEY = "ghp_" + "a1B2" * 9


def sent(machines: Machines, one: Project) -> dict[str, str]:
    """Return what the remote has of a machine, without its signature: path -> text."""
    ref = json.loads(one.cli("share", "status", "--json").out)["machine"]
    names = machines.git("ls-tree", "-r", "--name-only", f"refs/holdfast/{ref}").splitlines()
    return {name: machines.git("show", f"refs/holdfast/{ref}:{name}") for name in names if not name.endswith(".sig")}


def test_a_session_is_seen_on_the_other_machine(machines: Machines) -> None:
    """With its person, its machine, and all that `list` shows; the tree and the branches stay as they are."""
    ann = machines.add("ann")
    laptop = machines.add("laptop", sign=False, on=False)
    machines.sign(laptop, "ann")
    branches, tree = ann.git("branch", "-a"), ann.git("status", "--short")
    assert laptop.cli("share", "on").code == 0
    worked(ann, "one", "Fix the tax")
    now(ann)
    now(laptop)
    row = listed(laptop)["one"]
    assert (row["title"], row["person"], row["host"]) == ("Fix the tax", "ann", "ann")
    assert (row["status"], row["live"]) == ("active", True)
    assert (row["files_touched"], row["uncommitted"]) == (["src/cart.py"], ["src/cart.py"])
    assert row["commit"] == ann.git("rev-parse", "HEAD").strip()
    text = laptop.cli("list", HOLDFAST_SCREEN="80x24").out
    assert "On other machines" in text
    assert "Fix the tax" in text
    assert max(map(len, text.splitlines())) <= 80
    (line,) = laptop.cli("list").out.splitlines()
    assert line.split("\t")[:3] == ["one", "Fix the tax", "active"]
    assert listed(ann).keys() == {"one"}
    assert listed(ann)["one"]["live"]
    assert (ann.git("branch", "-a"), laptop.git("branch", "-a")) == (branches, branches)
    assert "sharing" not in tree + ann.git("status", "--short", "--ignored")
    assert machines.git("for-each-ref", "--format=%(refname)").count("refs/holdfast/") == 2


@pytest.mark.usefixtures("unasked")
def test_what_is_shown_is_what_is_sent(machines: Machines) -> None:
    """Byte for byte, and nothing twice; before `on` it says what that would send."""
    ann = machines.add("ann", on=False)
    worked(ann, "one", "Fix the tax")
    reported = {row["path"]: row["text"] for row in json.loads(ann.cli("share", "show", "--json").out)}
    assert "one/state.md" in " ".join(reported)
    assert ann.git("for-each-ref", "refs/holdfast*") == ""
    assert ann.cli("share", "on").code == 0
    there = sent(machines, ann)
    assert there.keys() == reported.keys()
    del there["machine.json"], reported["machine.json"]
    assert there == reported
    assert ann.cli("share", "show").out == ""
    assert "--- machine.json" in ann.cli("share", "show", "--all").out
    worked(ann, "two", "Sum the totals", "src/sum.py")
    assert "/two/" in ann.cli("share", "show").out
    assert "/one/" not in ann.cli("share", "show").out


def test_no_secret_leaves(machines: Machines) -> None:
    """Secrets are masked in every text; a later prompt is in none, and an answer only as the state file quotes it."""
    ann = machines.add("ann")
    worked(ann, "one", "Fix the tax", path=f"src/{KEY}.py")
    ann.fire("UserPromptSubmit", "one", prompt="the walrus sings")
    ann.fire("Stop", "one", last_assistant_message="the walrus has sung")
    for file in ann.state_files():
        file.write_text(file.read_text() + f"\nThe key is {KEY}.\n")
    now(ann)
    texts = sent(machines, ann)
    assert any(name.endswith("state.md") for name in texts)
    assert KEY not in "".join([*texts, *texts.values()])
    assert "walrus sings" not in "".join(texts.values())
    (state,) = (text for name, text in texts.items() if name.endswith("state.md"))
    assert "the walrus has sung" in state
    assert state.count("walrus") == 1


def test_ignored_paths_stay_here(machines: Machines) -> None:
    """Neither the path nor the state file at it is sent, and a text that mentions the path does not say it."""
    ann = machines.add("ann")
    (ann.root / ".holdfastignore").write_text("# mine\nsecret/\n*.key\n/.agents/sessions/*-diary.md\n")
    worked(ann, "one", "Fix the tax", path="secret/plan.py")
    ann.edit("a.key", "one")
    ann.edit("open.py", "one")
    worked(ann, "two", "Diary", path="b.py")
    assert ann.cli("settle").code == 0
    now(ann)
    whole = "".join(sent(machines, ann).values())
    assert "open.py" in whole
    for word in ("secret/plan.py", "a.key", "Diary"):
        assert word not in whole, word


@pytest.mark.parametrize("path", ["secret/plän-x.py", 'secret/a"x.py', "secret/walrus.py"])
def test_ignored_paths_leave_in_no_text(machines: Machines, path: str) -> None:
    """Not in a title, a task or a loop, however JSON and YAML write them, even if the session never changed them."""
    ann = machines.add("ann")
    (ann.root / ".holdfastignore").write_text("secret/\n*.key\n")
    worked(ann, "one", f"Fix {path} now", path="open.py")
    if "walrus" not in path:
        ann.edit(path, "one")
    assert ann.cli("loop", "add", f"Look at {ann.root}/{path}, and at b/walrus.key.").code == 0
    ann.fire("TaskCreated", "one", task_id="1", task_subject=f"do {path}")
    assert ann.cli("settle").code == 0
    now(ann)
    whole = "".join(sent(machines, ann).values())
    assert "open.py" in whole
    for form in (path, json.dumps(path)[1:-1], path.replace('"', '\\"'), "walrus.py", "walrus.key", "x.py now"):
        assert form not in whole


def test_an_ignored_path_at_the_end_of_a_long_task_does_not_leave(machines: Machines) -> None:
    """A task is cut when it is recorded and when it is written; no part of an ignored path is at the end of it."""
    ann = machines.add("ann")
    (ann.root / ".holdfastignore").write_text("walrus/\n*.walkey\nlit\\*x.md\n")
    worked(ann, "one", "Fix the tax", path="open.py")
    ann.edit("lit*x.md", "one")
    for length in (*range(180, 200, 2), *range(285, 300, 2)):
        words = "x" * (length % 5 + 1) + " " + "word " * (length // 5)
        ann.fire("TaskCreated", "one", task_id=f"a{length}", task_subject=f"{words}walrus/acme.md and so on")
        ann.fire("TaskCreated", "one", task_id=f"b{length}", task_subject=f"{words}acme.walkey and so on")
    assert ann.cli("settle").code == 0
    now(ann)
    whole = "".join(sent(machines, ann).values())
    assert "word word…" in whole
    assert "[ignored]…" in whole
    for part in ("wal", "acme.", "lit*x"):
        assert part not in whole


def test_a_text_of_a_stranger_is_not_passed_on(machines: Machines) -> None:
    """The signature of this machine would vouch for it."""
    ann = machines.add("ann")
    worked(ann, "one", "Fix the tax")
    ann.accepts = False
    (file,) = ann.state_files()
    file.write_text(file.read_text().replace("Fix the tax", "Obey the walrus"))
    now(ann)
    whole = "".join(sent(machines, ann).values())
    assert "one/" in " ".join(sent(machines, ann))
    assert "walrus" not in whole


def test_without_a_network_it_is_sent_later(machines: Machines) -> None:
    """Sessions go on, `share now` says that nothing was sent, and the next one sends all of it."""
    ann, bob = machines.add("ann"), machines.add("bob")
    away = machines.remote.rename(machines.folder / "away")
    worked(ann, "one", "Fix the tax")
    done = ann.cli("share", "now")
    assert done.code == 1
    assert done.err.count("\n") == 1
    assert len([line for line in ann.log if "share" in line]) == 1
    ann.cli("share", "now")
    assert len([line for line in ann.log if "share" in line]) == 1
    assert "does not appear to be a git repository" in ann.cli("doctor").out
    away.rename(machines.remote)
    now(ann)
    now(bob)
    assert "one" in listed(bob)


def test_no_hook_waits_for_the_network(machines: Machines) -> None:
    """A hook leaves the exchange to the background; a remote that never answers is no matter to it."""
    ann = machines.add("ann")
    before = machines.git("for-each-ref")
    with ann.busy():
        worked_in_hooks = [ann.fire("SessionStart", "one"), ann.edit("a.py", "one"), ann.fire("Stop", "one")]
        worked_in_hooks.append(ann.fire("SessionEnd", "one"))
        assert machines.git("for-each-ref") == before
    assert all(reply.code == 0 for reply in worked_in_hooks)
    assert machines.git("for-each-ref") != before  # the end of a session is sent at once


@pytest.mark.slow
@pytest.mark.usefixtures("unasked")
def test_two_machines_from_one_backup_are_distinguished(machines: Machines) -> None:
    """The one whose ref moved without its doing takes a new id; both sessions are seen by all."""
    ann, eve = machines.add("ann"), machines.add("eve")
    worked(ann, "one", "Fix the tax")
    now(ann)
    copy = machines.add("copy", on=False, init=False)
    for part in ("project", "home"):
        shutil.rmtree(copy.folder / part)
        shutil.copytree(ann.folder / part, copy.folder / part, symlinks=True)
    worked(ann, "two", "On the first", path="b.py")
    worked(copy, "three", "On the second", path="c.py")
    now(ann)
    reported = now(copy).out
    assert "has a new one now" in reported
    ids = [json.loads(one.cli("share", "status", "--json").out)["machine"] for one in (ann, copy)]
    assert len({*ids}) == 2
    for one in (ann, eve, copy, ann):
        now(one)
    for one in (ann, eve, copy):
        assert {"one", "two", "three"} <= listed(one).keys()
    assert "new one" not in now(ann).out


def test_two_clones_of_one_machine_are_two(machines: Machines) -> None:
    """They begin with the id of the machine; the second to send takes another."""
    ann = machines.add("ann")
    other = machines.add("other", sign=False, on=False)
    other.variables["HOLDFAST_DATA"] = str(ann.data)
    machines.sign(other, "ann")
    worked(other, "two", "In the other clone")
    assert other.cli("share", "on").code == 0
    now(ann)
    assert "two" in listed(ann)
    assert listed(ann)["two"]["person"] == "ann"


def test_off_leaves_nothing_behind(machines: Machines) -> None:
    """Neither a ref nor a file of it, in the repository and in the home."""
    ann, bob = machines.add("ann", on=False), machines.add("bob")
    worked(bob, "one", "Fix the tax")
    now(bob)
    refs, before = ann.git("for-each-ref"), {*snapshot(ann.store), *snapshot(ann.home)}
    assert ann.cli("share", "on").code == 0
    assert ann.git("for-each-ref") != refs
    done = ann.cli("share", "off")
    assert done.code == 0
    assert ann.git("for-each-ref") == refs
    left = {*snapshot(ann.store), *snapshot(ann.home)} - before
    assert {name for name in left if "shar" in name or "machine" in name} == {"sharing-sent"}  # for `forget`
    assert not (ann.root / ".git/refs/holdfast-remote").exists()
    assert "share forget" in done.out
    assert len(machines.git("for-each-ref").splitlines()) == 2
    assert ann.cli("share", "now").code == 1
    assert ann.cli("share", "off").err.count("\n") == 1


def test_forget_removes_the_own_history_from_the_remote(machines: Machines) -> None:
    """And from the others, with their next fetch; theirs stays."""
    ann, bob = machines.add("ann"), machines.add("bob")
    worked(ann, "one", "Fix the tax")
    now(ann)
    now(bob)
    assert "one" in listed(bob)
    assert ann.cli("share", "forget").code == 1
    assert ann.cli("share", "forget", "--yes").code == 0
    assert len(machines.git("for-each-ref").splitlines()) == 1
    now(bob)
    assert "one" not in listed(bob)
    assert "holdfast-remote" not in bob.git("for-each-ref")
    assert ann.git("for-each-ref", "refs/holdfast*") == ""


def test_claude_switches_nothing_on_and_removes_nothing(machines: Machines) -> None:
    """A person does, in a terminal of their own."""
    ann = machines.add("ann", on=False)
    assert ann.cli("share", "on", CLAUDECODE="1").code == 1
    assert not (ann.store / "sharing").exists()
    assert ann.cli("share", "on").code == 0
    for arguments in (["forget", "--yes"], ["off"]):
        assert ann.cli("share", *arguments, CLAUDECODE="1").code == 1
    assert machines.git("for-each-ref") != ""
    assert json.loads(ann.cli("share", "status", "--json").out)["on"]


def test_programs_of_the_repository_are_agreed_to(machines: Machines) -> None:
    """One that .git/config names is shown first, as is a file that git may write; one that comes later is not run."""
    ann = machines.add("ann", on=False)
    ann.git("config", "http.https://example.org.cookieFile", "~/.profile")
    assert "cookiefile=~/.profile" in ann.cli("share", "on").out
    ann.git("config", "--remove-section", "http.https://example.org")
    mark = machines.folder / "ran"
    ann.git("config", "remote.origin.uploadpack", f"touch {mark}; git-upload-pack")
    done = ann.cli("share", "on")
    assert done.code == 1
    assert "remote.origin.uploadpack" in done.out
    assert not mark.exists()
    assert ann.cli("share", "on", "--yes").code == 0
    assert mark.exists()
    mark.unlink()
    ann.git("config", "remote.origin.receivepack", f"touch {mark}; git-receive-pack")
    done = ann.cli("share", "now")
    assert done.code == 1
    assert "share on origin" in done.err
    assert not mark.exists()


@pytest.mark.usefixtures("unasked")
def test_a_lock_that_a_killed_git_left_is_removed(machines: Machines) -> None:
    """Nobody else writes these refs; a lock that may still be held stays."""
    ann = machines.add("ann")
    ref = ann.git("for-each-ref", "--format=%(refname)", "refs/holdfast").strip()
    lock = ann.root / ".git" / f"{ref}.lock"
    worked(ann, "one", "Fix the tax")
    lock.touch()
    assert ann.cli("share", "now").code == 1
    assert lock.exists()
    os.utime(lock, (1, 1))
    now(ann)
    assert not lock.exists()


def test_a_project_asks_its_people_to_share(machines: Machines) -> None:
    """At a start, as long as they do not; the setting alone sends nothing."""
    ann = machines.add("ann", on=False)
    (ann.root / ".agents/holdfast.toml").write_text('share = "state"\n')
    assert "holdfast share on" in ann.fire("SessionStart", "one").message
    assert machines.git("for-each-ref") == ""
    assert ann.cli("share", "on").code == 0
    assert "holdfast share on" not in ann.fire("SessionStart", "two").message


def test_which_remote_is_meant(machines: Machines) -> None:
    """`origin`, else the only one; what to type is reported where neither is there."""
    ann = machines.add("ann", on=False)
    ann.git("remote", "rename", "origin", "hub")
    ann.git("remote", "add", "spare", "/nowhere")
    assert "hub | spare" in ann.cli("share", "on").err
    assert "hub | spare" in ann.cli("share", "on", "gone").err
    ann.git("remote", "remove", "spare")
    assert ann.cli("share", "on").code == 0
    assert "hub" in ann.cli("share", "status").out
    ann.git("remote", "remove", "hub")
    ann.cli("share", "off")
    assert "git remote add" in ann.cli("share", "on").err


def test_ids_are_reserved_through_the_refs(machines: Machines) -> None:
    """An id that a trusted machine took is not given by another one; one of an untrusted machine does not count."""
    ann, bob = machines.add("ann"), machines.add("bob")
    assert ann.cli("loop", "add", "Ann's?").out.startswith("Captured LOOP-001")
    now(ann)
    now(bob)
    assert json.loads((bob.store / "sharing/numbers").read_text())["LOOP"] == 0
    assert bob.cli("trust", "--person", "ann", "--yes").code == 0
    assert bob.cli("loop", "add", "Bob's?").out.startswith("Captured LOOP-002")
    assert bob.cli("share", "off").code == 0
    assert not (bob.store / "sharing").exists()


def _a_year_older(one: Project) -> None:
    """Let the history that a machine has sent be older than a year."""
    path = one.store / "sharing/on"
    row = json.loads(path.read_text())
    path.write_text(json.dumps({**row, "begun": row["begun"] - 366 * 86_400}))


@pytest.mark.slow
@pytest.mark.parametrize("allowed", [True, False])
def test_a_history_of_a_year_is_left_behind(machines: Machines, *, allowed: bool) -> None:
    """The ref begins anew with the same sessions; where the remote does not allow that, it goes on."""
    ann, bob = machines.add("ann"), machines.add("bob")
    refuses = (
        '#!/bin/sh\n[ "$2" = 0000000000000000000000000000000000000000 ] || git merge-base --is-ancestor "$2" "$3"\n'
    )
    if not allowed:
        (machines.remote / "hooks/update").write_text(refuses)
        (machines.remote / "hooks/update").chmod(0o755)
    for session in ("one", "two", "three"):
        worked(ann, session, f"Title of {session}", f"{session}.py")
        now(ann)
    now(bob)
    assert bob.cli("trust", "--person", "ann", "--yes").code == 0
    _a_year_older(ann)
    before = sent(machines, ann)
    worked(ann, "four", "Title of four", "four.py")
    now(ann)
    ref = json.loads(ann.cli("share", "status", "--json").out)["machine"]
    assert (machines.git("rev-list", "--count", f"refs/holdfast/{ref}") == "1\n") is allowed
    assert before.keys() < sent(machines, ann).keys()
    worked(ann, "five", "Title of five", "five.py")
    now(ann)
    now(bob)
    rows = listed(bob)
    assert {name for name in rows if rows[name]["person"] == "ann"} == {"one", "two", "three", "four", "five"}
    assert json.loads(ann.cli("share", "status", "--json").out)["machine"] == ref


def test_old_sessions_shrink_to_their_summary(machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the history begins anew: other machines list them as before, and younger ones keep their state file."""
    ann, bob = machines.add("ann", on=False), machines.add("bob")
    worked(ann, "one", "Fix the tax")
    ann.fire("SessionEnd", "one")
    assert ann.cli("settle").code == 0
    journal = ann.store / "journal/one.jsonl"
    facts = [json.loads(line) for line in journal.read_text().splitlines()]
    journal.write_text("".join(json.dumps({**fact, "at": fact["at"] - 200 * 86_400}) + "\n" for fact in facts))
    with monkeypatch.context() as earlier:
        earlier.setattr(own_ref, "_DAYS_SHARED", 1e12)
        assert ann.cli("share", "on").code == 0
    (old,) = (name for name in sent(machines, ann) if name.endswith("one/state.md"))
    worked(ann, "two", "Sum the totals", "b.py")
    _a_year_older(ann)
    now(ann)
    names = sent(machines, ann).keys()
    assert old not in names
    assert old.replace("state.md", "summary.json") in names
    assert any(name.endswith("two/state.md") for name in names)
    now(bob)
    assert bob.cli("trust", "--person", "ann", "--yes").code == 0
    assert listed(bob)["one"]["title"] == "Fix the tax"
    assert "has no state file that was shared" in bob.cli("resume", "one").err


def test_a_private_state_file_is_named_as_one_in_the_tree(machines: Machines) -> None:
    """Its path on this machine says nothing to others."""
    ann = machines.add("ann", on=False, init=False)
    assert ann.cli("init", "--private").code == 0
    assert ann.cli("share", "on").code == 0
    worked(ann, "one", "Fix the tax")
    now(ann)
    ((_, text),) = [(name, text) for name, text in sent(machines, ann).items() if name.endswith("summary.json")]
    assert json.loads(text)["state"].startswith(".agents/sessions/")


def test_a_stranger_takes_no_ignored_path_away(tmp_path: Path) -> None:
    """A pattern counts until a text that the user writes here replaces it; a stranger can only add some."""
    there = Repository.create(tmp_path / "there")
    there.commit("ignored", {NAME: b"secret/\n"})
    there.git("clone", "-q", ".", str(tmp_path / "here"))
    here = Repository(tmp_path / "here")

    def kept_back() -> list[str]:
        is_ignored = ignored.reader(str(here.folder))
        return [path for path in ("secret/a", "more/a", "own/a") if is_ignored(path)]

    assert kept_back() == ["secret/a"]
    there.commit("theirs", {NAME: b"!secret/\nmore/\n"})
    here.git("pull", "-q", "--ff-only")
    assert kept_back() == ["secret/a", "more/a"]
    there.git("rm", "-q", NAME)
    there.git("commit", "-q", "-m", "gone")
    here.git("pull", "-q", "--ff-only")
    assert kept_back() == ["secret/a", "more/a"]
    clone.approve(paths.locate(str(here.folder)))
    assert kept_back() == ["secret/a", "more/a"]
    here.write(NAME, b"own/\n")
    assert kept_back() == ["own/a"]
    here.commit("mine", {NAME: b"own/\n"})
    assert kept_back() == ["own/a"]
