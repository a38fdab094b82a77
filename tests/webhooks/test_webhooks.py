"""Webhooks from hook to receiver: what is posted, in which order, how often, and what is never called."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.cli import webhooks
from holdfast.core import clock, lock
from holdfast.core.errors import HoldfastError
from holdfast.project import paths
from holdfast.webhooks import endpoint, events, outbox, sender
from holdfast.webhooks.endpoint import Endpoint
from tests.support import hooks, machine, receiver
from tests.support.receiver import DROP, LONG, MOVED, NOISE, RAW, SHORT, Receiver

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

here = hooks.here
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # noqa: S105 - the one of the specification's examples


def configure(project: Project, *rows: str) -> Path:
    """Write the user's settings of a project's home."""
    place = project.home / ".config/holdfast/settings.toml"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("".join(f"[[webhook]]\n{row}\n" for row in rows))
    place.chmod(0o600)
    return place


def hook(known: Receiver, name: str = "one", **more: str) -> str:
    """Return the settings of a webhook that leads to a receiver."""
    return "\n".join(
        [f'name = "{name}"', f'url = "{known.url}"', 'allow = ["127.0.0.1"]', *(f"{k} = {v}" for k, v in more.items())]
    )


def names(known: Receiver) -> list[str]:
    """Return the events that a receiver accepted, each message once."""
    seen = {headers["webhook-id"]: json.loads(body)["type"] for headers, body in known.got}
    return list(seen.values())


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the waits between tries short."""
    monkeypatch.setattr(sender, "_FIRST_WAIT", 0.01)
    monkeypatch.setattr(sender, "_LONGEST_WAIT", 0.05)


def post_all(project: Project) -> None:
    """Collect and post what is there."""
    with hooks.at_home(str(project.home)):
        sender.run(paths.locate(str(project.root)))


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ([{"kind": "start", "source": "startup"}], [events.STARTED]),
        ([{"kind": "start", "source": "compact"}], []),
        ([{"kind": "start", "source": "clear"}], []),
        ([{"kind": "answer", "text": "Done. Shall I merge it?"}], [events.WAITING]),
        ([{"kind": "answer", "text": "All tests pass."}], []),
        ([{"kind": "asked", "text": "Claude needs your permission"}], [events.WAITING]),
        ([{"kind": "update", "status": "waiting", "text": "waiting: the key"}], [events.WAITING]),
        (
            [{"kind": "update", "status": "completed"}, {"kind": "completed", "status": "completed"}],
            [events.COMPLETED],
        ),
        (
            [
                {"kind": "status", "status": "paused"},
                {"kind": "prompt", "text": "on"},
                {"kind": "status", "status": "paused"},
            ],
            [events.PAUSED, events.PAUSED],
        ),
        ([{"kind": "end", "reason": "prompt_input_exit"}], [events.ENDED]),
        ([{"kind": "end", "reason": "clear"}], []),
        ([{"kind": "conflict", "path": "a.py", "text": "b edits it"}], [events.CONFLICT]),
        ([{"kind": "drift", "severity": "slight", "points": 2}], []),
        (
            [{"kind": "drift", "severity": one, "points": 9} for one in ("marked", "severe", "none", "marked")],
            [events.DRIFTED, events.DRIFTED],
        ),
        ([{"kind": "omitted", "text": "Keep: a"}], [events.OMITTED]),
        ([{"kind": "edit", "path": "a.py"}, {"kind": "of a later version"}], []),
    ],
)
def test_facts_become_events(facts: list[dict[str, Any]], expected: list[str]) -> None:
    """Each kind of fact is told of as the table says, and only once."""
    given: list[Any] = [{"at": float(number), **fact} for number, fact in enumerate(facts)]
    assert [event.name for _, event in events.of_facts(given, 0)] == expected
    assert list(events.of_facts(given, len(given))) == []


def test_a_session_is_told_of_in_order_and_each_event_once(here: Project) -> None:
    """A second look at the same journals posts nothing again."""
    with receiver.receiver() as known:
        configure(here, hook(known))
        here.fire("SessionStart")
        here.fire("UserPromptSubmit", prompt="merge the invoices")
        here.edit("a.txt")
        here.fire("Stop", last_assistant_message="It is ready. Shall I merge it?")
        here.fire("Notification")
        here.fire("Notification", notification_type="idle_prompt")
        here.cli("update", "one", "active", "merging")
        here.fire("SessionEnd")
        here.rested()
        post_all(here)
        post_all(here)
        assert names(known) == [events.STARTED, events.WAITING, events.WAITING, events.ENDED]
        assert len(known.got) == 4
        data = json.loads(known.got[1][1])["data"]
        assert data["text"].endswith("Shall I merge it?")
        assert (data["project"], data["session"], data["title"]) == ("project", "one", "merge the invoices")


@pytest.mark.parametrize(
    "plan", [[DROP, DROP], ["500", "503"], ["429"], [NOISE], [LONG], [SHORT], [MOVED, "404", DROP]]
)
def test_what_fails_is_tried_again_and_order_stays(here: Project, plan: list[str]) -> None:
    """Whatever a receiver does, each session is told of in order, and no redirect is followed."""
    with receiver.receiver(*plan) as known:
        configure(here, hook(known))
        for ident in ("one", "two"):
            here.fire("SessionStart", ident)
            here.fire("Stop", ident, last_assistant_message="Shall I go on?")
            here.fire("SessionEnd", ident)
        here.rested()
        post_all(here)
        told = [(json.loads(body)["data"]["session"], json.loads(body)["type"]) for _, body in known.got]
        for ident in ("one", "two"):
            own = list(dict.fromkeys(name for session, name in told if session == ident))
            assert own == [events.STARTED, events.WAITING, events.ENDED]
        assert known.other == []  # no redirect was followed


@pytest.mark.parametrize("plan", [[DROP], [NOISE], ["500", DROP]])
def test_each_try_has_the_id_of_the_first(here: Project, plan: list[str]) -> None:
    """By it a receiver tells a repetition from a new message, also after a kill between POST and outbox."""
    with receiver.receiver(*plan) as known:
        configure(here, hook(known))
        here.fire("SessionStart")
        here.rested()
        post_all(here)
        with contextlib.closing(sqlite3.connect(here.store / outbox.NAME)) as box, box:
            box.execute("update message set state = 'waits', due = 0")  # as a killed sender leaves it
        here.fire("Stop", last_assistant_message="Shall I go on?")
        here.rested()
        post_all(here)
        first, second, *more = [headers["webhook-id"] for headers, _ in known.got]
        assert first == second
        assert len(more) == 1
        assert more[0] != first


def test_each_webhook_gets_what_it_wants_in_its_form(here: Project) -> None:
    """Secrets are masked, and the signature is that of the specification."""
    with receiver.receiver() as chat, receiver.receiver() as program:
        configure(
            here,
            hook(chat, "chat", template='"slack"', events='["session.waiting"]'),
            hook(program, "program", secret=f'"{SECRET}"'),
        )
        here.fire("SessionStart")
        here.fire("Stop", last_assistant_message="Shall I use <b> & password=hunter2hunter2 here?")
        here.rested()
        post_all(here)
        ((_, body),) = chat.got
        assert json.loads(body).keys() == {"text"}
        assert "&lt;b&gt; &amp;" in body
        assert "hunter2hunter2" not in body + program.got[1][1]
        assert [headers["webhook-signature"][:3] for headers, _ in program.got] == ["v1,", "v1,"]
        from standardwebhooks.webhooks import Webhook

        for headers, text in program.got:
            assert Webhook(SECRET).verify(text, headers)["data"]["session"] == "one"


def test_nothing_is_made_of_what_was_before(here: Project) -> None:
    """A webhook that is new is not told of sessions that ended before it was configured."""
    here.fire("SessionStart")
    here.fire("SessionEnd")
    here.rested()
    with receiver.receiver() as known:
        os.utime(configure(here, hook(known)), (time.time() + 5, time.time() + 5))
        post_all(here)
        assert known.tries == 0
        here.fire("SessionStart", "two")
        here.rested()
        post_all(here)
        assert names(known) == [events.STARTED]


def test_what_does_not_arrive_within_a_day_is_given_up_and_can_be_retried(
    here: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list says what failed and why."""
    with receiver.receiver(*["500"] * 50) as known:
        configure(here, hook(known))
        with monkeypatch.context() as short:
            short.setattr(sender, "_TRIES", 0.0)
            here.fire("SessionStart")
            here.rested()
            post_all(here)
        listed = json.loads(here.cli("webhook", "list", "--json").out)
        assert (listed[0]["failed"], listed[0]["waits"]) == (1, 0)
        assert "500" in listed[0]["problem"]
        known.plan.clear()
        assert "1 of 1 arrived" in here.cli("webhook", "retry").out
        assert names(known) == [events.STARTED]


def test_a_process_that_stayed_long_enough_ends(here: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is due then is left to the next event."""
    with receiver.receiver() as known:
        configure(here, hook(known))
        monkeypatch.setattr(sender, "_STAYS", -1.0)
        here.fire("SessionStart")
        here.rested()
        post_all(here)
        assert known.tries == 0
        monkeypatch.undo()
        post_all(here)
        assert names(known) == [events.STARTED]


def test_a_receiver_that_is_gone_gets_nothing_more(here: Project) -> None:
    """410 is final."""
    with receiver.receiver("410") as known:
        configure(here, hook(known))
        here.fire("SessionStart")
        here.rested()
        post_all(here)
        assert known.tries == 1


@pytest.mark.slow  # two hundred processes
@pytest.mark.timeout(600)
def test_no_kill_of_the_sender_loses_an_event(here: Project) -> None:
    """All events arrive in order, however often the process that posts them is killed."""
    with receiver.receiver() as known:
        configure(here, hook(known))
        here.fire("SessionStart")
        count = 60
        for number in range(count):
            here.fire("Stop", last_assistant_message=f"Shall I do step {number}?")
        here.rested()
        command = [sys.executable, str(here.plugin / "plugin/holdfast/__main__.py")]
        for kill in range(200):
            process = subprocess.Popen([*command, "webhook", "send"], cwd=here.root, env=here.environment())
            time.sleep(0.05 + (kill % 40) / 100)
            process.send_signal(signal.SIGKILL)
            process.wait()
        here.cli("webhook", "send")
        told = dict.fromkeys(json.loads(body)["data"].get("text", "") for _, body in known.got)
        assert list(told) == ["", *(f"Shall I do step {number}?" for number in range(count))]


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),  # noqa: S104 - an address that must not be called
        ("224.0.0.1", False),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("fc00::1", False),
        ("::ffff:10.0.0.1", False),
        ("2002:0a00:0001::1", False),
        ("64:ff9b::7f00:1", False),
        ("64:ff9b::5db8:d822", True),
        ("64:ff9b:1::5db8:d822", False),
        ("::7f00:1", False),
        ("93.184.216.34", True),
        ("2606:2800:220:1:248:1893:25c8:1946", True),
    ],
)
def test_private_networks_are_not_called(address: str, public: bool) -> None:  # noqa: FBT001 - a column of the table
    """The address decides, also one that carries another inside."""
    assert endpoint.is_public(address) == public


def test_a_host_in_a_private_network_is_called_only_by_name() -> None:
    """The setting `allow` names it."""
    with receiver.receiver() as known:
        answer = endpoint.post(known.url, "{}", {}, ())
        assert "private network" in answer.problem
        assert known.tries == 0
        assert endpoint.post(known.url, "{}", {}, ("127.0.0.1",)).status == 200


@pytest.mark.parametrize(
    ("host", "port", "header"),
    [
        ("example.com", 80, "example.com"),
        ("example.com", 8080, "example.com:8080"),
        ("2606:2800:220:1::1946", 80, "[2606:2800:220:1::1946]"),
        ("2606:2800:220:1::1946", 8080, "[2606:2800:220:1::1946]:8080"),
    ],
)
def test_a_receiver_is_called_by_its_name(monkeypatch: pytest.MonkeyPatch, host: str, port: int, header: str) -> None:
    """Without the port that is usual; the end of an address is none."""
    near, far = socket.socketpair()
    with near, far:
        monkeypatch.setattr(socket, "create_connection", lambda *_, **__: near)
        endpoint._connection("http", host, (host, port)).request("POST", "/")  # noqa: SLF001 - usual ports are taken
        assert f"\r\nHost: {header}\r\n" in far.recv(1000).decode()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"name": "a b"}, "is no name"),
        ({"url": "ftp://example.com"}, "has to be https"),
        ({"url": "http://example.com"}, "in the open"),
        ({"url": "https://example.com/\n"}, "has to be https"),
        ({"template": "teams"}, "no template"),
        ({"events": ("session.born",)}, "no event"),
        ({"template": "slack", "secret": "env:A"}, "only the template json"),
    ],
)
def test_unusable_settings_are_named(change: dict[str, Any], problem: str) -> None:
    """Each wrong value is refused with its reason."""
    good: dict[str, Any] = {"name": "one", "url": "https://example.com/x"}
    assert endpoint.checked(Endpoint(**good))
    with pytest.raises(HoldfastError, match=problem):
        endpoint.checked(Endpoint(**{**good, **change}))


def test_a_secret_comes_from_the_environment_or_a_private_file(tmp_path: Path) -> None:
    """A file that others can read is refused."""
    place = tmp_path / "secret"
    place.write_text(f"{SECRET}\n")
    place.chmod(0o600)
    one = Endpoint("one", "env:URL", secret=f"file:{place}")
    assert endpoint.resolved(one, {"URL": "https://example.com/"}) == ("https://example.com/", SECRET)
    with pytest.raises(HoldfastError, match="URL is not set"):
        endpoint.resolved(one, {})
    place.chmod(0o644)
    with pytest.raises(HoldfastError, match="chmod 600"):
        endpoint.resolved(one, {"URL": "https://example.com/"})


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        ("secret-tool", "lookup service holdfast username chat"),
        ("security", "find-generic-password -s holdfast -a chat -w"),
    ],
)
def test_a_secret_comes_from_the_platforms_keyring(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, arguments: str
) -> None:
    """The name of another one, and a machine without a keyring, are errors that say so."""
    monkeypatch.setenv("PATH", str(tmp_path))
    one, other = (Endpoint("one", "https://example.com/", secret=f"keyring:holdfast/{user}") for user in ("chat", "x"))
    with pytest.raises(HoldfastError, match="the keyring has nothing for holdfast/chat"):
        endpoint.resolved(one, {})
    (tmp_path / program).write_text(f"#!/bin/sh\n[ \"$*\" = '{arguments}' ] && echo {SECRET}\n")
    (tmp_path / program).chmod(0o755)
    assert endpoint.resolved(one, {})[1] == SECRET
    with pytest.raises(HoldfastError, match="the keyring has nothing for holdfast/x"):
        endpoint.resolved(other, {})


@pytest.mark.parametrize("secret", ["whsec_!!", "whsec_", "whsec_a", "\0", SECRET[:-9], SECRET.removeprefix("whsec_")])
def test_an_unusable_secret_is_an_error_that_says_so(secret: str) -> None:
    """Also one of which nothing is left after decoding."""
    with pytest.raises(HoldfastError, match="the secret is not usable"):
        endpoint.resolved(Endpoint("one", "https://example.com/", secret=secret), {})
    assert endpoint.resolved(Endpoint("one", "https://example.com/", secret=SECRET), {})[1] == SECRET


@pytest.mark.parametrize("secret", ["whsec_", "whsec_short", "plain", "env:NOTHING", "whsec_!!!!"])
def test_one_unusable_secret_stops_no_other_webhook(here: Project, secret: str) -> None:
    """It is named where people look, and a secret that is typed is refused at once."""
    with receiver.receiver() as known:
        configure(here, hook(known, "bad", secret=f'"{secret}"'), hook(known, "good"))
        here.remember("one", {"kind": "start", "source": "startup"}, {"kind": "answer", "text": "Shall I merge it?"})
        with hooks.at_home(str(here.home)):
            sender.once(paths.locate(str(here.root)))
        assert names(known) == [events.STARTED, events.WAITING]
        rows = {row["name"]: row for row in json.loads(here.cli("webhook", "list", "--json").out)}
        assert rows["bad"]["problem"]
        assert not rows["good"]["problem"]
        if not secret.startswith("env:"):
            added = here.cli("webhook", "add", known.url, "--allow", "127.0.0.1", "--secret", secret)
            assert (added.code, "whsec_ and 24 to 64 bytes" in added.err) == (1, True)


def test_settings_with_a_secret_are_private(here: Project) -> None:
    """As a secret's own file has to be."""
    with receiver.receiver() as known:
        place = configure(here, hook(known, secret=f'"{SECRET}"'))
        assert here.cli("webhook", "test", "one").code == 0
        place.chmod(0o644)
        refused = here.cli("webhook", "test", "one")
        assert (refused.code, "chmod 600" in refused.err, known.tries) == (1, True, 1)


@pytest.mark.parametrize("answer", ["\x1b]0;title\x07", "HTTP/1.1 301 x\r\nLocation: http://h/\x1b[2J\x1b]0;title\x07"])
def test_what_a_receiver_answers_does_not_steer_a_terminal(answer: str) -> None:
    """Its control characters are no part of the problem that is shown."""
    with receiver.receiver(RAW + answer) as known:
        problem = endpoint.post(known.url, "{}", {}, ("127.0.0.1",)).problem
        assert problem
        assert problem.isprintable()


@pytest.mark.parametrize("template", events.TEMPLATES)
def test_every_event_has_a_text_in_every_form(template: str) -> None:
    """No event is forgotten in a template."""
    for name in (*events.NAMES, events.TEST):
        body = events.compose(events.Event(name, 1.0, {"project": "p", "session": "s", "title": "t"}), template)
        assert "t" in body


def test_commands_add_test_list_and_remove(here: Project) -> None:
    """The rest of the settings stays byte for byte, and no address is shown."""
    place = here.home / ".config/holdfast/settings.toml"
    place.parent.mkdir(parents=True)
    place.write_text("# mine\n")
    with receiver.receiver() as known:
        added = here.cli("webhook", "add", known.url, "--name", "ci", "--allow", "127.0.0.1")
        assert added.code == 0, added
        assert "whsec_" in added.out
        assert place.read_text().startswith("# mine\n")
        assert place.stat().st_mode & 0o777 == 0o600
        assert here.cli("webhook", "test", "ci").out == "ci answered 200.\n"
        ((headers, body),) = known.got
        assert json.loads(body)["type"] == events.TEST
        assert headers["webhook-signature"].startswith("v1,")
        assert "/hook" not in here.cli("webhook", "list").out
        assert here.cli("webhook", "add", known.url, "--name", "ci", "--allow", "127.0.0.1").code == 1
        assert here.cli("webhook", "remove", "ci").code == 0
        assert place.read_text() == "# mine\n"
        assert "no webhook is called" in here.cli("webhook", "test", "ci").err


def test_a_model_adds_no_webhook(here: Project) -> None:
    """What Claude reads must not make this machine call anybody."""
    said = here.cli("webhook", "add", "https://example.com/x", CLAUDECODE="1")
    assert said.code == 1
    assert "a person does this" in said.err
    assert not (here.home / ".config").exists()


@pytest.mark.parametrize(
    "folder", ["conf", "/proc/self/cwd/conf", "//proc/self/cwd/conf", "ROOT/conf", "ROOT/../project/conf"]
)
def test_a_repository_configures_no_webhook(here: Project, folder: str) -> None:
    """The settings of a project have none, however an environment that it brings names the folder."""
    with receiver.receiver() as known:
        (here.root / ".agents").mkdir(exist_ok=True)
        (here.root / ".agents/holdfast.toml").write_text(f"[[webhook]]\n{hook(known)}\n")
        (here.root / "conf/holdfast").mkdir(parents=True)
        (here.root / "conf/holdfast/settings.toml").write_text(f"[[webhook]]\n{hook(known)}\n")
        here.variables["XDG_CONFIG_HOME"] = folder.replace("ROOT", str(here.root))
        here.cli("settle")
        here.fire("SessionStart")
        here.rested()
        post_all(here)
        assert known.tries == 0
        assert not outbox.exists(str(here.store))


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://hooks.chat.example/x", "chat"),
        ("http://127.0.0.1:8138/x", "webhook-2"),
        ("http://[::1]/x", "webhook-2"),
        ("https://10.in/", "webhook-2"),
        ("env:CHAT_URL", "chat-url"),
    ],
)
def test_a_webhook_is_named_by_its_host(url: str, name: str) -> None:
    """An address has no word that would say anything."""
    assert webhooks.free_name(url, ["webhook"]) == name


@pytest.mark.parametrize("damage", ["all", "a page", "a folder", "a pipe"])
def test_a_broken_outbox_is_set_aside_and_loses_nothing(here: Project, damage: str) -> None:
    """What had not arrived comes once more, with the same id; the error log says it once."""
    with receiver.receiver(*["500"] * 50) as known:
        place = configure(here, hook(known))
        os.utime(place, (time.time() - 3600, time.time() - 3600))
        facts: list[dict[str, Any]] = [{"kind": "start", "source": "startup"}, {"kind": "end", "reason": "other"}]
        here.remember("one", *facts)
        with hooks.at_home(str(here.home)):
            sender.once(paths.locate(str(here.root)))
        box = here.store / outbox.NAME
        data = bytearray(box.read_bytes())
        data[0 if damage == "all" else 4096 :] = b"\xff" * (len(data) - (0 if damage == "all" else 4096))
        box.unlink()
        {"a folder": box.mkdir, "a pipe": lambda: os.mkfifo(box)}.get(damage, lambda: box.write_bytes(data))()
        os.utime(place)  # settings that were changed since hide nothing either
        assert "is set aside at the next event" in here.cli("webhook", "list").err
        known.plan.clear()
        post_all(here)
        assert names(known) == [events.STARTED, events.ENDED]
        post_all(here)
        assert here.cli("webhook", "list").code == 0
        assert len(known.got) == 2
        assert (here.store / "errors.log").read_text().count("webhooks: ") == 1
        assert (here.store / "outbox.db.broken").exists()


def test_retry_counts_what_it_retried(here: Project) -> None:
    """And not what another process collects and posts meanwhile."""
    with receiver.receiver(*["500"] * 3) as known:
        configure(here, hook(known))
        here.remember("one", {"kind": "start", "source": "startup"})
        with hooks.at_home(str(here.home)):
            sender.once(paths.locate(str(here.root)))
        with lock.sole(f"{here.store}/outbox.lock"):
            reply = here.cli("webhook", "retry")
            assert reply.out.startswith("0 of 1 arrived.\nAnother process posts")
        here.remember("two", {"kind": "start", "source": "startup"}, {"kind": "end", "reason": "other"})
        shown = here.cli("webhook", "list", HOLDFAST_SCREEN="80x24").out
        assert "one: answers 500 Internal Server Error" in shown
        known.plan.clear()
        reply = here.cli("webhook", "retry", "--json")
        assert json.loads(reply.out) == {"retried": 1, "left": 0}


def test_a_crash_is_told_of_once_at_the_next_event(here: Project) -> None:
    """The time is that of the session's last event, not of the next one."""
    with receiver.receiver() as known:
        configure(here, hook(known))
        client = hooks.Claude(here)
        client.fire("SessionStart", "one")
        client.fire("PostToolUse", "one")
        client.kill()
        last = here.facts("one")[-1]["at"]
        end = time.monotonic() + hooks.LIMIT
        while events.CRASHED not in names(known):  # the process that the client's hook started may post it
            assert time.monotonic() < end
            here.fire("SessionStart", "two")
            here.rested()
            post_all(here)
        here.remember("one", {"kind": "prompt", "text": "go on"})  # of the same process, which is gone
        here.fire("SessionStart", "two")
        here.rested()
        post_all(here)
        (crash,) = [json.loads(body) for _, body in known.got if json.loads(body)["type"] == events.CRASHED]
        assert crash["data"]["session"] == "one"
        assert crash["timestamp"] == clock.write(last, clock.ISO)


def test_doctor_names_what_did_not_arrive(here: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also settings that cannot be used."""
    with receiver.receiver(*["500"] * 50) as known:
        configure(here, hook(known))
        monkeypatch.setattr(sender, "_TRIES", 0.0)
        here.fire("SessionStart")
        here.rested()
        post_all(here)
    assert "1 message to one did not arrive: answers 500" in here.cli("doctor").out
    configure(here, "name = 1")
    assert "name = 1 does not fit; give a text" in here.cli("doctor").out
    configure(here, hook(known, secret=f'"{SECRET[:14]}"'))
    assert "one: " in here.cli("doctor").out
    assert "24 to 64 bytes" in " ".join(here.cli("doctor").out.split())


def test_nothing_is_loaded_or_written_where_nothing_is_configured(here: Project) -> None:
    """What only webhooks need is imported by no hook, and no process is started for it."""
    for event in ("SessionStart", "UserPromptSubmit", "Notification", "Stop", "SessionEnd"):
        loaded = machine.loaded([here.command(event)[-1]], here, json.dumps(here.payload(event)).encode())
        assert [name for name in loaded if "webhooks" in name or name == "standardwebhooks"] == []
        assert [
            command for command in hooks.running().values() if str(here.folder) in command and "webhook" in command
        ] == []
    assert not outbox.exists(str(here.store))


@pytest.mark.client  # it downloads the specification's library for JavaScript
def test_the_library_of_another_language_accepts_the_signatures(here: Project, tmp_path: Path) -> None:
    """Text beyond ASCII is signed as it is sent."""
    with receiver.receiver() as known:
        configure(here, hook(known, secret=f'"{SECRET}"'))
        here.fire("SessionStart")
        here.fire("Stop", last_assistant_message="Größe ändern? 日本語でいいですか?")
        here.rested()
        post_all(here)
    (tmp_path / "got.json").write_text(json.dumps(known.got))
    (tmp_path / "check.cjs").write_text(
        f"const {{Webhook}} = require('standardwebhooks');\n"
        f"for (const [headers, body] of require('./got.json')) new Webhook('{SECRET}').verify(body, headers);\n"
        "console.log('verified');"
    )
    npm = ["npm", "install", "--no-audit", "--no-fund", "standardwebhooks@1.1.1"]
    subprocess.run(npm, cwd=tmp_path, check=True, capture_output=True)
    done = subprocess.run(["node", "check.cjs"], cwd=tmp_path, check=False, capture_output=True, text=True)
    assert (len(known.got), done.stdout, done.stderr) == (2, "verified\n", "")
