"""Conversations on two machines: what is sent, who can read it, how it grows, and what is left when it ends."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.core.errors import HoldfastError
from holdfast.project import paths
from holdfast.sharing import people
from holdfast.sharing.conversation import incoming, outgoing, passphrase, readers, sealed
from tests.client.terminal import Terminal
from tests.support import faulting
from tests.support.machine import ROOT
from tests.support.machines import now, worked

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.faulting import Faulty
    from tests.support.hooks import Project
    from tests.support.machines import Machines

SESSION = "5f0c2f3e-3e5a-4c57-9a53-2d5b8a0c1f11"
KEY = "ghp_" + "a1B2" * 9
REFS = "refs/holdfast-conversations/"
faulty = faulting.faulty


def line(one: Project, number: int, text: str, **more: Any) -> dict[str, Any]:
    """Return a line of a transcript: an answer."""
    message = {"role": "assistant", "content": [{"type": "text", "text": text}]}
    uuids = {"uuid": f"u-{number}", "parentUuid": f"u-{number - 1}"}
    return {"type": "assistant", **uuids, "sessionId": SESSION, "cwd": str(one.root), "message": message, **more}


def add(one: Project, *lines: dict[str, Any]) -> None:
    """Append lines to the transcript that the hooks name."""
    with (one.home / "t.jsonl").open("a") as file:
        file.writelines(json.dumps(each) + "\n" for each in lines)


def here(one: Project) -> Path:
    """Return where Claude Code on a machine looks for the conversation."""
    folder = re.sub("[^a-zA-Z0-9]", "-", os.path.realpath(one.root))
    return one.home / f".claude/projects/{folder}/{SESSION}.jsonl"


def lines_here(one: Project) -> list[dict[str, Any]]:
    """Return the lines of the conversation as Claude Code on a machine finds it."""
    return [json.loads(each) for each in here(one).read_text().splitlines()]


def switched_on(machines: Machines, *people: str) -> list[Project]:
    """Return machines whose people trust and may read each other; the first has a session with one line."""
    found = [machines.add(name) for name in people]
    for one in [*found, *found]:
        now(one)
    for one in found:
        for name in people:
            if name != people[found.index(one)]:
                assert one.cli("trust", "--person", name, "--yes").code == 0
    first = found[0]
    worked(first, SESSION, "Fix the tax")
    add(first, line(first, 1, "The tax is read."))
    readers = [word for name in people[1:] for word in ("--reader", name)]
    done = first.cli("share", "conversation", *readers)
    assert (done.code, done.err) == (0, ""), done
    return found


def refs(machines: Machines) -> dict[str, str]:
    """Return the refs of conversations at the remote, and their commits."""
    lines = machines.git("for-each-ref", "--format=%(refname) %(objectname)", REFS).splitlines()
    return dict(each.split() for each in lines)


def parts(machines: Machines) -> int:
    """Return how many parts the only conversation at the remote has."""
    (commit,) = refs(machines).values()
    return len(machines.git("ls-tree", "--name-only", commit).split())


def fetched(one: Project) -> str:
    """Fetch what is new, resume the session, and return what is reported."""
    now(one)
    done = one.cli("resume", SESSION)
    assert (done.code, done.err) == (0, ""), done
    return done.out


@pytest.mark.slow
def test_only_readers_can_read_it(machines: Machines) -> None:
    """Nothing at the remote has a word of it; a trusted person who is no reader gets the state file only."""
    ann, bob = switched_on(machines, "ann", "bob")
    eve = machines.add("eve")
    now(eve)
    assert eve.cli("trust", "--person", "ann", "--yes").code == 0
    for name in machines.git("rev-list", "--all", "--objects").split():
        if len(name) == 40:
            data = subprocess.run(
                ["git", "-C", machines.remote, "cat-file", "-p", name], check=True, capture_output=True
            ).stdout
            assert b"tax is read" not in data
    reported = fetched(bob)
    assert "Its conversation is here: 1 new line of its transcript." in reported
    assert f"claude --resume {SESSION}" in reported
    assert lines_here(bob) == [{**line(ann, 1, "The tax is read."), "cwd": str(bob.root)}]
    assert here(bob).stat().st_mode & 0o777 == 0o600
    reported = fetched(eve)
    assert "Its conversation stays on" in reported
    assert "it is not encrypted to your key" in reported
    assert not here(eve).exists()


def test_secrets_and_ignored_files_are_not_sent(machines: Machines) -> None:
    """Not in words, not in calls of tools, not in what they answered, not in thoughts; `--show` prints what is sent."""
    ann, bob = switched_on(machines, "ann", "bob")
    (ann.root / ".holdfastignore").write_text("secret/\n")
    path = f"{ann.root}/secret/plan.md"
    call = {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": path}}
    answer = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "the walrus"}]}
    kept = {"type": "thinking", "thinking": f"{ann.root} is small", "signature": "EqQB" * 20}
    lost = {"type": "thinking", "thinking": f"It is {KEY}", "signature": "EqQB" * 20}
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0K" * 12}}
    contents: list[list[dict[str, Any]]] = [[call], [answer], [kept], [lost], [image]]
    changed = [
        line(ann, number, "", message={"role": "user", "content": content})
        for number, content in enumerate(contents, 2)
    ]
    changed[0] |= {"rendered": "Read the walrus", "toolUseResult": "the walrus"}
    changed[1] |= {"toolUseResult": {"type": "text", "file": {"filePath": path, "content": "the walrus", "n": 3}}}
    add(ann, *changed, line(ann, 9, f"The key is {KEY}; see secret/plan.md."), {"type": "api-request", "x": KEY})
    now(ann)
    shown = ann.cli("share", "conversation", "--show", SESSION)
    assert shown.code == 0
    fetched(bob)
    whole = here(bob).read_text()
    assert shown.out.replace(str(ann.root), str(bob.root)).count("\n") == whole.count("\n") == 7
    for word in (KEY, "walrus", "plan.md", "api-request"):
        assert word not in whole
        assert word not in shown.out
    found = [one["message"]["content"] for one in lines_here(bob)[1:6]]
    assert found[2:] == [[kept], [{"type": "text", "text": found[3][0]["text"]}], [image]]
    assert found[0][0]["id"] == found[1][0]["tool_use_id"] == "toolu_1"
    assert lines_here(bob)[2]["toolUseResult"]["file"]["n"] == 3
    assert "[masked]" in lines_here(bob)[-1]["message"]["content"][0]["text"]


@pytest.mark.slow
def test_a_line_that_is_nested_too_deeply_is_left_out(machines: Machines) -> None:
    """The lines around it are sent; there is no error."""
    ann, bob = switched_on(machines, "ann", "bob")
    deep = json.dumps(line(ann, 3, "x")).replace('"x"', "[" * 90_000 + "1" + "]" * 90_000)
    with (ann.home / "t.jsonl").open("a") as file:
        file.write(f"{deep}\n")
    add(ann, line(ann, 4, "Rounding is next."))
    now(ann)
    fetched(bob)
    assert [one["uuid"] for one in lines_here(bob)] == ["u-1", "u-4"]


@pytest.mark.slow
def test_only_what_is_new_is_sent(machines: Machines) -> None:
    """A part for each exchange; nothing without a new line; a line that is still being written waits."""
    ann, bob = switched_on(machines, "ann", "bob")
    first = refs(machines)
    now(ann)
    assert refs(machines) == first
    assert ann.cli("share", "show").out == ""
    assert f"share conversation --show {SESSION}" in ann.cli("share", "show", "--all").out
    add(ann, line(ann, 2, "Rounding is next."))
    assert f"share conversation --show {SESSION}" in ann.cli("share", "show").out
    with (ann.home / "t.jsonl").open("a") as file:
        file.write('{"type": "assist')
    now(ann)
    assert parts(machines) == 2
    fetched(bob)
    assert [one["uuid"] for one in lines_here(bob)] == ["u-1", "u-2"]
    (commit,) = refs(machines).values()
    assert machines.git("rev-list", commit).count("\n") == 2


@pytest.mark.slow
def test_it_goes_on_in_the_folder_in_which_it_began(machines: Machines) -> None:
    """Claude Code looks for it from there; both times that the session is resumed."""
    ann, bob = machines.add("ann"), machines.add("bob")
    for one in (ann, bob):
        (one.root / "web").mkdir()
        now(one)
        now(bob)
    assert bob.cli("trust", "--person", "ann", "--yes").code == 0
    now(ann)
    assert ann.cli("trust", "--person", "bob", "--yes").code == 0
    start = json.dumps(ann.payload("SessionStart", SESSION, cwd=str(ann.root / "web"))).encode()
    ann.send("SessionStart", start, SESSION, CLAUDE_PROJECT_DIR=str(ann.root / "web"))
    worked(ann, SESSION, "Fix the tax")
    add(ann, line(ann, 1, "The tax is read."))
    assert ann.cli("share", "conversation", "--reader", "bob").code == 0
    for _ in range(2):
        assert f"cd {bob.root}/web && claude --resume {SESSION}" in fetched(bob)
    assert len([*(bob.home / ".claude/projects").glob(f"*-web/{SESSION}.jsonl")]) == 1


@pytest.mark.slow
def test_other_readers_begin_it_anew(machines: Machines) -> None:
    """Who may read it from now on reads all of it; no push is forced."""
    ann, bob = switched_on(machines, "ann", "bob")
    add(ann, line(ann, 2, "Rounding is next."))
    now(ann)
    (before,) = refs(machines).values()
    assert ann.cli("share", "conversation").code == 0
    (after,) = refs(machines).values()
    assert machines.git("merge-base", "--is-ancestor", before, after) == ""
    assert parts(machines) == 1
    assert "it is not encrypted to your key" in fetched(bob)
    assert "encrypted to your own key." in ann.cli("share", "status").out


@pytest.mark.slow
def test_who_is_trusted_no_more_is_no_reader(machines: Machines) -> None:
    """What is new from then on is not encrypted to them."""
    ann, bob = switched_on(machines, "ann", "bob")
    assert json.loads(ann.cli("share", "status", "--json").out)["readers"] == ["your own key", "bob"]
    assert ann.cli("trust", "--person", "bob", "--revoke").code == 0
    assert json.loads(ann.cli("share", "status", "--json").out)["readers"] == ["your own key"]
    add(ann, line(ann, 2, "Rounding is next."))
    now(ann)
    assert "it is not encrypted to your key" in fetched(bob)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_kill_at_any_step_of_sending_loses_no_line(machines: Machines, faulty: Faulty) -> None:
    """Each time the next exchange sends what is missing, and the other machine has every line once, in order."""
    ann, bob = switched_on(machines, "ann", "bob")
    add(ann, line(ann, 2, "The answer 2."))
    steps = faulty.run(ann, "share", "now").steps
    assert len(steps) > 20
    for number in range(1, len(steps) + 1):
        add(ann, line(ann, number + 2, f"The answer {number + 2}."))
        died = faulty.run(ann, "share", "now", at=number, how="kill")
        assert died.code in {-9, 0}, died
        if number % 5 == 0:
            now(ann)
            fetched(bob)
            assert [one["uuid"] for one in lines_here(bob)] == [f"u-{at}" for at in range(1, number + 3)]
    assert machines.git("fsck", "--strict") == ""


@pytest.mark.slow
def test_what_is_over_is_removed(machines: Machines) -> None:
    """With `--off`, with `share off` and `forget`, and when the session is completed; here and at the remote."""
    (ann,) = switched_on(machines, "ann")
    assert refs(machines)
    assert ann.cli("share", "conversation", "--off").code == 0
    assert refs(machines) == {}
    assert ann.git("for-each-ref", REFS) == ""
    assert ann.cli("share", "conversation").code == 0
    assert refs(machines)
    assert ann.cli("close", SESSION, "--force").code in {0, 1}
    ann.fire("SessionEnd", SESSION)
    now(ann)
    assert refs(machines) == {}
    worked(ann, "two", "Sum the totals", "src/sum.py")
    now(ann)
    assert len(refs(machines)) == 1
    assert ann.cli("share", "forget", "--yes").code == 0
    assert refs(machines) == {}
    assert ann.git("for-each-ref", "refs/holdfast*") == ""


@pytest.mark.slow
def test_what_was_sent_is_removed_also_if_the_readers_changed_meanwhile(machines: Machines) -> None:
    """The remote was away when it should have got the parts for other readers: `--off` still removes the old ones."""
    ann, _ = switched_on(machines, "ann", "bob")
    away = machines.remote.rename(machines.folder / "away")
    for options, after in (([], "sent, encrypted to your own key"), (["--off"], "removed from the remote")):
        done = ann.cli("share", "conversation", *options)
        assert done.code == 1
        assert done.out.startswith(f"After the next exchange that succeeds, conversations are {after}.")
    away.rename(machines.remote)
    assert refs(machines)
    now(ann)
    assert refs(machines) == {}
    assert ann.git("for-each-ref", REFS) == ""


def test_it_comes_back_and_no_line_is_lost(machines: Machines) -> None:
    """What the other machine added follows what is here, as it is here; if both went on, both stay as they are."""
    ann, bob = switched_on(machines, "ann", "bob")
    add(ann, line(ann, 2, f"The key is {KEY}."))
    now(ann)
    fetched(bob)
    own = here(ann)
    own.parent.mkdir(parents=True)
    own.write_bytes((ann.home / "t.jsonl").read_bytes())
    ann.fire("SessionEnd", SESSION)
    with here(bob).open("a") as file:
        file.write(json.dumps(line(bob, 3, f"See {bob.root}/src/cart.py.")) + "\n")
    bob.fire("SessionStart", SESSION, transcript_path=str(here(bob)), source="resume")
    bob.edit("src/cart.py", SESSION)
    bob.fire("SessionEnd", SESSION, transcript_path=str(here(bob)))
    assert bob.cli("settle").code == 0
    assert bob.cli("share", "conversation", "--reader", "ann").code == 0
    assert "Its conversation is here: 1 new line" in fetched(ann)
    assert [one["uuid"] for one in lines_here(ann)] == ["u-1", "u-2", "u-3"]
    assert KEY in own.read_text()
    assert lines_here(ann)[2] == line(ann, 3, f"See {ann.root}/src/cart.py.")
    assert "Its conversation is here" not in fetched(ann)
    with own.open("a") as file:
        file.write(json.dumps(line(ann, 5, "Here.")) + "\n")
    with here(bob).open("a") as file:
        file.write(json.dumps(line(bob, 4, "There.")) + "\n")
    now(bob)
    before = own.read_bytes()
    assert "it went on here and there; the one that is here stays as it is." in fetched(ann)
    assert own.read_bytes() == before


@pytest.mark.slow
def test_a_conversation_that_grows_too_large(machines: Machines) -> None:
    """What was sent before stays, and it is reported which one is too large."""
    ann, bob = switched_on(machines, "ann", "bob")
    add(ann, *(line(ann, number, "0" * (22 << 20)) for number in (2, 3, 4)))
    done = ann.cli("share", "now")
    assert done.code == 1
    assert f"the conversation of {SESSION[:8]} is not sent: " in done.err
    assert "larger than the 64 MB that are read" in done.err
    fetched(bob)
    assert [one["uuid"] for one in lines_here(bob)] == ["u-1"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["other commit", "gone", "other session", "other lines", "other format", "bomb"])
def test_what_was_not_sent_so_is_not_taken(machines: Machines, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of it is written, whoever put it there; the state file is, and one line says why."""
    ann, bob = switched_on(machines, "ann", "bob")
    if kind in {"other session", "other format"}:
        changed = {"session": "two"} if kind == "other session" else {"format": 2}
        head = outgoing.head_of_part
        monkeypatch.setattr(outgoing, "head_of_part", lambda *words: {**head(*words), **changed})
    if kind == "bomb":
        sealed_well = sealed.sealed
        monkeypatch.setattr(sealed, "sealed", lambda data, keys: sealed_well(data + b"0" * (130 << 20), keys))
    add(ann, line(ann, 2, "Rounding is next.", **({"sessionId": "two"} if kind == "other lines" else {})))
    now(ann)
    now(bob)
    ((ref, commit),) = refs(machines).items()
    if kind == "other commit":
        words = ("-c", "user.name=eve", "-c", "user.email=e@x", "commit-tree", f"{commit}^{{tree}}", "-m", "mine")
        machines.git("update-ref", ref, machines.git(*words).strip())
    if kind == "gone":
        machines.git("update-ref", "-d", ref)
    reported = bob.cli("resume", SESSION).out
    assert reported.count("Its conversation stays on") == 1
    assert f"Start a new session to continue it: holdfast continue {bob.state_files()[0].stem}" in reported
    assert not here(bob).exists()


@pytest.mark.parametrize(
    ("kind", "passphrase", "problem"),
    [("ecdsa", "", "of another kind"), ("", "", "is missing"), ("ed25519", "a good one", "has a passphrase")],
)
def test_a_key_that_cannot_be_used(machines: Machines, kind: str, passphrase: str, problem: str) -> None:
    """One of another kind and none are refused before anything is sent; one with a passphrase needs a terminal."""
    ann = machines.add("ann", sign=False)
    worked(ann, SESSION, "Fix the tax")
    add(ann, line(ann, 1, "The tax is read."))
    key = machines.folder / "odd"
    if kind:
        subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", passphrase, "-f", key], check=True)
        (ann.home / ".gitconfig").write_text(
            f"[user]\nname = ann\nemail = a@x\nsigningkey = {key}.pub\n[gpg]\nformat = ssh\n"
        )
        ann.variables["GIT_CONFIG_GLOBAL"] = str(ann.home / ".gitconfig")
    done = ann.cli("share", "conversation")
    if not passphrase:
        assert (done.code, done.err.count("\n")) == (1, 1)
        assert problem in done.err
        assert refs(machines) == {}
        return
    with pytest.raises(HoldfastError, match=problem):
        sealed.Opener(str(key))


@pytest.mark.parametrize(
    ("script", "found"), [("exit 1", b"the key"), ('for key; do :; done; echo open > "$key"', b"open\n")]
)
def test_a_key_stays_as_it_was_without_its_passphrase(
    tmp_path: Path, script: str, found: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ssh-keygen leaves of the copy is read, whether it could open it or not; no copy is left."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "ssh-keygen").write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / "ssh-keygen").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "memory"))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    assert passphrase.removed("key", b"the key") == found
    assert [*(tmp_path / "memory").iterdir()] == []


def test_claude_does_not_switch_it_on(machines: Machines) -> None:
    """Not from its shell: a person does that."""
    ann = machines.add("ann")
    ann.fire("SessionStart", "one")
    done = ann.cli("share", "conversation", CLAUDECODE="1")
    assert done.code == 1
    assert "A person does this" in done.err
    assert json.loads(ann.cli("share", "status", "--json").out)["readers"] == []


OPEN = """
import sys
from holdfast.sharing.conversation import sealed
data = sealed.sealed(b"word" * 100, [open(sys.argv[1] + ".pub").read()])
print("opened", len(sealed.Opener(sys.argv[1]).opened(data, 1000)))
"""


@pytest.mark.slow
def test_a_passphrase_is_asked_for_in_a_terminal(tmp_path: Path) -> None:
    """By ssh-keygen; the key stays as it is, and no copy of it is left."""
    key, memory = tmp_path / "key", tmp_path / "memory"
    memory.mkdir()
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "a good one", "-f", key], check=True)
    before = key.read_bytes()
    names = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT / "plugin"),
        "XDG_RUNTIME_DIR": str(memory),
        "TERM": "xterm",
    }
    with Terminal([sys.executable, "-c", OPEN, str(key)], tmp_path, names) as terminal:
        terminal.wait_for("Enter old passphrase:")
        terminal.type("a good one\r")
        terminal.wait_for("opened 400")
    assert key.read_bytes() == before
    assert [*memory.iterdir()] == []


@pytest.mark.parametrize(
    ("words", "told"), [("bob", "2 trusted people have 'bob'"), ("carl", "no trusted person has 'carl'")]
)
def test_a_reader_is_one_person(words: str, told: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Words that fit nobody, or several people, are refused."""
    known = {name: {"name": name, "print": name, "key": "ssh-ed25519 AAAA"} for name in ("bob", "Bobby", "ann")}
    monkeypatch.setattr(people, "trusted", lambda _store: known)
    with pytest.raises(HoldfastError, match=re.escape(told)):
        readers._reader(paths.locate(str(tmp_path)), words)  # noqa: SLF001 - the command asks for a key first


def test_places_are_folders_below_the_root() -> None:
    """Each is replaced in the lines by the one of this machine, which of `/` would change every path."""
    head = {
        "format": outgoing.FORMAT,
        "session": "s",
        "part": 0,
        "root": "/",
        "home": "/home/a",
        "tree": "a/b",
        "x": "/x",
    }
    found = incoming._places(json.dumps(head).encode(), "s", 0)  # noqa: SLF001 - no machine sends such places
    assert found == {"home": "/home/a"}
