"""`holdfast webhook`: where the user is told of sessions, and what did not arrive."""

import base64
import contextlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from urllib.parse import urlsplit

import click
import tomlkit
from tomlkit.exceptions import TOMLKitError

from holdfast.cli import screen
from holdfast.cli.app import cli, print_json, require_store, say_nothing, warn
from holdfast.cli.output import HEADER, is_json, report, reports
from holdfast.context.short_lists import counted
from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.project import user_settings
from holdfast.sessions.workspace import Workspace
from holdfast.trust import clone, safe
from holdfast.webhooks import endpoint, events, outbox, sender
from holdfast.webhooks.endpoint import Endpoint
from holdfast.webhooks.outbox import Message

_HEADINGS = ("NAME", "TEMPLATE", "URL", "WAITS", "FAILED", "LAST PROBLEM")
_NOT_HERE = "webhooks are the user's own: a person does this in a terminal. Nothing was changed."


@cli.group("webhook")
def webhook_group() -> None:
    """Post to chat or programs when a session waits, pauses, completes or crashes.

    Webhooks are in your own settings, never in a project. docs/how-to/webhooks.md says more.
    """


@webhook_group.command("add")
@click.argument("url")
@click.option("--name", default="", help="How to call it; by default its host's first name.")
@click.option("--template", type=click.Choice(events.TEMPLATES), default=events.JSON, show_default=True)
@click.option("--event", "chosen", multiple=True, type=click.Choice(events.NAMES), help="Only these events.")
@click.option(
    "--secret", default="", metavar="WHERE", help="env:NAME, file:PATH or keyring:SERVICE/USER; else a new one."
)
@click.option("--allow", multiple=True, metavar="HOST", help="A host in a private network that it may be sent to.")
@reports
def add_webhook(  # noqa: PLR0913 - one for each option
    url: str, *, name: str, template: str, chosen: tuple[str, ...], secret: str, allow: tuple[str, ...]
) -> int:
    """Add a webhook to your settings, and say what its receiver needs to check the signature."""
    _refuse_model()
    endpoints = endpoint.configured(os.environ)
    if secret:
        endpoint.check_secret(secret)
    fresh = new_secret() if template == events.JSON and not secret else ""
    target = endpoint.checked(
        Endpoint(
            name=name or free_name(url, [one.name for one in endpoints]),
            url=url,
            template=template,
            events=chosen or events.NAMES,
            secret=secret or fresh,
            allow=allow,
        )
    )
    if target.name in {one.name for one in endpoints}:
        raise HoldfastError(f"a webhook is called {target.name} already. Give another --name, or remove that one.")
    place = add(os.environ, target)
    lines = [f"{target.name} is in {place}."]
    if fresh:
        lines.append(f"Its receiver checks the signature (standardwebhooks.com) with: {fresh}")
    report(
        {"name": target.name, "settings": place, "secret": fresh},
        *lines,
        f"Try it: holdfast webhook test {target.name}",
    )
    return 0


@webhook_group.command("test")
@click.argument("name")
@reports
def test_webhook(name: str) -> int:
    """Post a test now, and say what the receiver answered."""
    _refuse_model()
    target = _named(name)
    event = events.Event(events.TEST, endpoint.now(), {"project": "holdfast", "title": "webhook test"})
    answer = sender.send(f"msg_test_{os.urandom(8).hex()}", events.compose(event, target.template), target)
    report(
        {"name": name, "status": answer.status, "problem": answer.problem},
        *([] if answer.problem else [f"{name} answered {answer.status}."]),
    )
    if answer.problem:
        warn(f"{name}: {answer.problem}")
    return int(bool(answer.problem))


@webhook_group.command("list")
@HEADER
@reports
@click.pass_obj
def list_webhooks(workspace: Workspace) -> None:
    """List the webhooks, and what waits or failed in this project."""
    rows = [_row(one, outbox.of_project(workspace.project.store)) for one in endpoint.configured(os.environ)]
    if is_json():
        print_json(rows)
    elif rows:
        cells = [tuple(str(value) for value in row.values()) for row in rows]
        narrow = len(_HEADINGS) - bool(screen.size())  # a terminal has a line of its own for each problem
        problems = [f"{row['name']}: {row['problem']}" for row in rows if row["problem"] and screen.size()]
        table = screen.table(_HEADINGS[:narrow], [row[:narrow] for row in cells])
        click.echo("\n".join([*table, *problems]))
    else:
        say_nothing("No webhook is configured. Type: holdfast webhook add URL")


@webhook_group.command("retry")
@click.argument("name", default="")
@reports
@click.pass_obj
def retry_webhook(workspace: Workspace, name: str) -> int:
    """Post now what did not arrive in this project, to one webhook or to all."""
    project = workspace.project
    require_store(project)
    if name:
        _named(name)
    if not outbox.exists(project.store):
        report({"retried": 0, "left": 0}, "Nothing waits.")
        return 0
    with contextlib.closing(outbox.Outbox(project.store)) as box:
        retried = box.retry(name, endpoint.now())
    alone = sender.once(project)
    left = [one for one in outbox.of_project(project.store) if one.number in retried and one.state != outbox.SENT]
    others = [] if alone or not left else ["Another process posts the others now. See: holdfast webhook list"]
    counts: dict[str, object] = {"retried": len(retried), "left": len(left)}
    report(counts, f"{len(retried) - len(left)} of {len(retried)} arrived.", *others)
    for problem in sorted({f"{one.endpoint}: {one.problem}" for one in left if one.problem}):
        warn(problem)
    return int(bool(left))


@webhook_group.command("remove")
@click.argument("name")
@reports
@click.pass_obj
def remove_webhook(workspace: Workspace, name: str) -> int:
    """Remove a webhook from your settings, and what still waits for it here."""
    _refuse_model()
    _named(name)
    place = remove(os.environ, name)
    left = 0
    if workspace.project.store and outbox.exists(workspace.project.store):
        with contextlib.closing(outbox.Outbox(workspace.project.store)) as box:
            left = box.drop(name)
    lost = [f"{counted(left, 'message')} to it had not arrived."] if left else []
    report({"name": name, "settings": place, "dropped": left}, f"{name} is removed from {place}.", *lost)
    return 0


@webhook_group.command("send", hidden=True)
@click.pass_obj
def send_messages(workspace: Workspace) -> None:
    """Collect and post, in the background."""
    sender.run(workspace.project)


def _refuse_model() -> None:
    """Raise HoldfastError in the shell of a coding client: no text that it reads may make this machine call anybody."""
    if clone.output_reaches_claude():
        raise HoldfastError(_NOT_HERE)


def _named(name: str) -> Endpoint:
    endpoints = endpoint.configured(os.environ)
    for one in endpoints:
        if one.name == name:
            return one
    has = f"There are: {', '.join(one.name for one in endpoints)}." if endpoints else "Type: holdfast webhook add URL"
    raise HoldfastError(f"no webhook is called {name[:60]!r} in {user_settings.path(os.environ)}. {has}")


def _row(one: Endpoint, messages: "list[Message]") -> "dict[str, object]":
    """Return a webhook as a row; the address of a chat service is a secret itself, so only its host is shown."""
    own = [message for message in messages if message.endpoint == one.name]
    counts = {state: sum(message.state == state for message in own) for state in (outbox.WAITS, outbox.FAILED)}
    problem = next((message.problem for message in reversed(own) if message.problem), "")
    return {
        "name": one.name,
        "template": one.template,
        "url": endpoint.shown_url(one.url),
        **counts,
        "problem": safe.line(problem),
    }


_SECRET = 32  # random bytes, of the 24 to 64 that Standard Webhooks allows
_NO_ADDRESSES = "there is no home directory for your settings; set HOME."


def new_secret() -> str:
    """Return a new secret in the form of Standard Webhooks: whsec_ and base64."""
    return "whsec_" + base64.b64encode(os.urandom(_SECRET)).decode()


def free_name(url: str, used: "Sequence[str]") -> str:
    """Return a name for a webhook: the last but one word of its host, with a number if it is used already.

    "webhook" where that has no letter, as in an address.
    """
    words = (urlsplit(url).hostname or "").split(".") if not url.startswith("env:") else [url[4:].lower()]
    plain = re.sub(r"[^A-Za-z0-9]", "-", words[-2] if len(words) > 1 else words[0]).strip("-")[:30]
    plain = plain if re.search(r"[A-Za-z]", plain) else "webhook"
    return next(name for name in (plain, *(f"{plain}-{number}" for number in range(2, 10_000))) if name not in used)


def add(environ: "Mapping[str, str]", target: Endpoint) -> str:
    """Add a webhook and return the path of the settings, which only their user can read; HoldfastError on failure."""
    document = _read(environ)
    table = tomlkit.table()
    for key, value in _values(target).items():
        table[key] = value
    rows = document.setdefault(user_settings.WEBHOOK, tomlkit.aot())
    rows.append(table)
    return _write(environ, document)


def remove(environ: "Mapping[str, str]", name: str) -> str:
    """Remove the webhook of a name and return the path of the settings; HoldfastError if that fails."""
    document = _read(environ)
    rows = document.get(user_settings.WEBHOOK, [])
    for number, row in enumerate(rows):
        if row.get("name") == name:
            del rows[number]
            break
    if not rows:
        document.pop(user_settings.WEBHOOK, None)
    return _write(environ, document)


def _values(target: Endpoint) -> "dict[str, object]":
    """Return the keys of a webhook that differ from the defaults."""
    given = [(one.name, getattr(target, one.name), one.default) for one in fields(Endpoint)]
    return {name: list(value) if isinstance(value, tuple) else value for name, value, usual in given if value != usual}


def _read(environ: "Mapping[str, str]") -> "tomlkit.TOMLDocument":
    place = user_settings.path(environ)
    if not place:
        raise HoldfastError(_NO_ADDRESSES)
    try:
        return tomlkit.parse((files.read_or_none(place) or b"").decode())
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise HoldfastError(f"{place}: {error}. Correct that line first.") from None


def _write(environ: "Mapping[str, str]", document: "tomlkit.TOMLDocument") -> str:
    """Write the settings, and return their path once they read back as they were meant."""
    place, text = user_settings.path(environ), tomlkit.dumps(document)
    try:
        os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
        files.write_private(os.path.realpath(place), text.encode())
        same = files.read_or_none(place) == text.encode()
    except OSError as error:
        raise HoldfastError(f"{place}: {error.strerror}. Nothing was changed.") from None
    if not same:
        raise HoldfastError(f"{place} does not have what was written to it. Type: holdfast webhook list")
    return place
