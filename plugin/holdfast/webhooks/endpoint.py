"""The webhooks that the user configured: `[[webhook]]` in the user's own settings.

[[webhook]]
name = "chat"                               # how `holdfast webhook` calls it
url = "https://hooks.example/services/T0"   # or "env:NAME": the variable that has it
template = "slack"                          # json (the default), slack, discord, ntfy, jira
events = ["session.waiting"]                # left out: all
secret = "file:~/.config/holdfast/chat"     # whsec_..., env:NAME, file:PATH, keyring:SERVICE/USER; only json is signed
allow = ["hooks.internal"]                  # hosts in private networks, or without TLS, that it may be sent to
"""

import base64
import binascii
import contextlib
import os
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.project import user_settings
from holdfast.project.settings import settings
from holdfast.project.settings.values import match
from holdfast.trust import safe
from holdfast.webhooks import events

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_SECRET_SIZE = 1 << 12  # bytes of a file with a secret
_KEY_LEAST, _KEY_MOST = 24, 64  # bytes of a key of Standard Webhooks
_MARK = "whsec_"
_ENV, _FILE, _KEYRING = _REFERENCES = ("env", "file", "keyring")  # before a colon, kinds of references to a value
_ALLOW = '--allow HOST, allow = ["HOST"] in your settings.'
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One webhook as configured; `url` and `secret` may be references, which `resolved` replaces."""

    name: str
    url: str
    template: str = events.JSON
    events: tuple[str, ...] = events.NAMES
    secret: str = ""
    allow: tuple[str, ...] = ()


def configured(environ: "Mapping[str, str]") -> list[Endpoint]:
    """Return the webhooks of the user's settings in their order; HoldfastError names the one that is wrong."""
    place = user_settings.path(environ)
    rows = settings.load_personal(environ).get(user_settings.WEBHOOK, [])
    if not isinstance(rows, list):
        raise HoldfastError(f"{place}: write [[webhook]], with two brackets, for each webhook.")
    endpoints = [_of(row, f"{place}: webhook {number}") for number, row in enumerate(rows, 1)]
    names = [endpoint.name for endpoint in endpoints]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise HoldfastError(f"{place}: two webhooks are called {twice!r}. Give one another name.")
    return endpoints


def checked(endpoint: Endpoint) -> Endpoint:
    """Return a webhook unless a value of it is unusable; HoldfastError says which and why."""
    if not _NAME.fullmatch(endpoint.name):
        raise HoldfastError(f"{endpoint.name[:60]!r} is no name: give at most 40 letters, digits, - and _.")
    if endpoint.template not in events.TEMPLATES:
        raise HoldfastError(
            f"no template is called {endpoint.template[:60]!r}; give one of {_listed(events.TEMPLATES)}."
        )
    if odd := [name for name in endpoint.events if name not in events.NAMES]:
        raise HoldfastError(f"no event is called {odd[0][:60]!r}; give some of {_listed(events.NAMES)}.")
    if endpoint.secret and endpoint.template != events.JSON:
        raise HoldfastError(
            f"only the template json is signed; remove the secret, or template = {endpoint.template!r}."
        )
    if not endpoint.url.startswith("env:"):
        _check_url(endpoint.url, endpoint.allow)
    return endpoint


def resolved(endpoint: Endpoint, environ: "Mapping[str, str]") -> tuple[str, str]:
    """Return the address and the secret of a webhook, "" for none; HoldfastError when a reference leads nowhere."""
    url = _value(endpoint.url, environ)
    _check_url(url, endpoint.allow)
    if not endpoint.secret:
        return url, ""
    if not _is_reference(endpoint.secret):
        _refuse_readable(user_settings.path(environ))
    secret = _value(endpoint.secret, environ)
    check_secret(secret)
    return url, secret


def problem(endpoint: Endpoint, environ: "Mapping[str, str]") -> str:
    """Return why nothing can be sent to a webhook as it is configured, "" if something can."""
    try:
        resolved(endpoint, environ)
    except HoldfastError as error:
        return str(error)
    return ""


def shown_url(url: str) -> str:
    """Return what may be shown of an address: of a chat service's the path and the query are a secret themselves."""
    if url.startswith("env:"):
        return url
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}/..."


def _of(row: object, at: str) -> Endpoint:
    """Return the webhook of a table; HoldfastError, which begins with `at`, when a key or value is unusable."""
    match(row, _SHAPE, at)
    assert isinstance(row, dict)  # noqa: S101 - for mypy: match has checked it
    for key in ("name", "url"):
        if not row.get(key):
            raise HoldfastError(f"{at} has no {key}.")
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    try:
        return checked(Endpoint(**values))
    except HoldfastError as error:
        raise HoldfastError(f"{at}: {error}") from None


def _secret(value: object, at: str) -> None:
    """Check a text that no message may show."""
    if not isinstance(value, str):
        raise HoldfastError(f"{at} does not fit; give a text.")


_SHAPE = {"name": str, "url": _secret, "template": str, "events": [str], "secret": _secret, "allow": [str]}


def _check_url(url: str, allow: "tuple[str, ...]") -> None:
    """Raise HoldfastError unless a URL is https, or http to a host that `allow` names."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        parts, host, port = urlsplit(""), "", None
    if parts.scheme not in ("http", "https") or not host or port == 0 or re.search(r"[\x00-\x20\x7f]", url):
        raise HoldfastError("the url has to be https://HOST/... or env:NAME.")
    if parts.scheme == "http" and host not in allow:
        raise HoldfastError(f"http:// is sent in the open; use https://, or allow {host} if that is meant: {_ALLOW}")


def check_secret(secret: str) -> None:
    """Raise HoldfastError unless a secret is a reference, or one of Standard Webhooks: whsec_ and 24 to 64 bytes."""
    if _is_reference(secret):
        return
    try:
        key = base64.b64decode(secret.removeprefix(_MARK), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not (secret.startswith(_MARK) and _KEY_LEAST <= len(key) <= _KEY_MOST):
        raise HoldfastError(
            f"the secret is not usable: it has to be whsec_ and {_KEY_LEAST} to {_KEY_MOST} bytes in base64, "
            "or env:NAME, file:PATH or keyring:SERVICE/USER."
        )


def _is_reference(text: str) -> bool:
    kind, mark, _ = text.partition(":")
    return bool(mark) and kind in _REFERENCES


def _refuse_readable(path: str) -> None:
    """Raise HoldfastError for a file with a secret that others can read; a missing one has none."""
    with contextlib.suppress(OSError):
        if os.stat(path).st_mode & 0o077:
            raise HoldfastError(f"{path} has a secret and can be read by others. Type: chmod 600 {safe.shell(path)}")


def _value(reference: str, environ: "Mapping[str, str]") -> str:
    """Return what a reference leads to, and any other text as it is; HoldfastError when it leads nowhere."""
    kind, _, rest = reference.partition(":")
    if kind == _ENV:
        value = environ.get(rest, "")
        problem = f"the variable {rest} is not set."
    elif kind == _FILE:
        place = os.path.expanduser(rest)
        value, problem = _from_file(place), f"{place} is empty."
    elif kind == _KEYRING:
        value, problem = _from_keyring(rest), f"the keyring has nothing for {rest}."
    else:
        return reference
    if not value.strip():
        raise HoldfastError(problem)
    return value.strip()


def _from_file(path: str) -> str:
    """Return the text of a file that only its user can read; HoldfastError for any other file."""
    _refuse_readable(path)
    try:
        data = files.read(path, _SECRET_SIZE)
    except OSError as error:
        raise HoldfastError(f"{path}: {error.strerror}.") from None
    return data.decode("utf-8", "replace")


def _from_keyring(name: str) -> str:
    """Return the password that the platform's keyring has for `SERVICE/USER`, "" for none or without a keyring."""
    import shutil
    import subprocess

    service, _, user = name.partition("/")
    commands = (
        ["secret-tool", "lookup", "service", service, "username", user],  # freedesktop.org's Secret Service
        ["security", "find-generic-password", "-s", service, "-a", user, "-w"],  # macOS
    )
    for command in commands:
        if shutil.which(command[0]):
            try:
                done = subprocess.run(
                    command, capture_output=True, text=True, check=False, timeout=10, stdin=subprocess.DEVNULL
                )
            except (OSError, subprocess.TimeoutExpired):
                return ""
            return done.stdout if not done.returncode else ""
    return ""


def _listed(names: "tuple[str, ...]") -> str:
    return ", ".join(names)
