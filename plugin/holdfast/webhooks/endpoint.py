"""The webhooks that the user configured: `[[webhook]]` in the user's own settings.

[[webhook]]
name = "chat"                               # how `holdfast webhook` calls it
url = "https://hooks.example/services/T0"   # or "env:NAME": the variable that has it
template = "slack"                          # json (the default), slack, discord, ntfy, jira
events = ["session.waiting"]                # left out: all
secret = "file:~/.config/holdfast/chat"     # whsec_..., env:NAME, file:PATH, keyring:SERVICE/USER; only json is signed
allow = ["hooks.internal"]                  # hosts in private networks, or without TLS, that it may be sent to

A POST goes to an address that may be called, without redirects, within a time, signed by Standard Webhooks. The host's
name is resolved once, each address is checked, and the connection goes to the address that was checked: a name that
leads somewhere else a moment later changes nothing. Only the first line and the headers of the answer are read, so an
answer that lies about its length costs nothing.
"""

import base64
import binascii
import contextlib
import http.client
import ipaddress
import os
import re
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.project import settings, user_settings
from holdfast.project.settings import match
from holdfast.trust import safe
from holdfast.webhooks import events

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


TIMEOUT = 15.0  # seconds for each step: to connect, to send, to the first line of the answer
_WHOLE = 30.0  # seconds for all of it: a receiver may send one byte after the other
GONE = 410
_PROBLEM = 400  # characters of why a POST failed
# IPv6 addresses that have an IPv4 one in their last bytes (RFC 4291, 6052), and those of a translation at home (8215).
_WITH_IPV4 = tuple(map(ipaddress.ip_network, ("::/96", "64:ff9b::/96")))
_AT_HOME = ipaddress.ip_network("64:ff9b:1::/48")
_WAIT_MOST = 3600.0  # seconds that a receiver may ask to wait


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a POST: the status, 0 where there was none; why it failed, "" if it did not; seconds to wait."""

    status: int
    problem: str = ""
    wait: float = 0.0


def post(url: str, body: str, headers: dict[str, str], allow: tuple[str, ...]) -> Answer:
    """Send a body and return what became of it; nothing that the network does is an exception.

    What a receiver answers is foreign text: its control characters never reach a terminal.
    """
    answer = _posted(url, body, headers, allow)
    return Answer(answer.status, safe.line(answer.problem, _PROBLEM), answer.wait)


def _posted(url: str, body: str, headers: dict[str, str], allow: tuple[str, ...]) -> Answer:
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        address = _address(host, parts.port or (443 if parts.scheme == "https" else 80), may_be_private=host in allow)
        return _sent(parts.scheme, host, address, parts.path or "/", parts.query, body.encode(), headers)
    except HoldfastError as error:
        return Answer(0, str(error))
    except (OSError, http.client.HTTPException, ValueError) as error:
        return Answer(0, _reason(error, host))


def signature(secret: str, ident: str, at: float, body: str) -> dict[str, str]:
    """Return the headers of Standard Webhooks for a message, with a secret that `endpoint.resolved` has checked."""
    from standardwebhooks.webhooks import Webhook

    signer = Webhook(secret)
    moment = datetime.fromtimestamp(int(at), tz=UTC)
    return {**stamps(ident, at), "webhook-signature": signer.sign(ident, moment, body)}


def stamps(ident: str, at: float) -> dict[str, str]:
    """Return the headers that also an unsigned message has: the same id at each try, and the time of this try."""
    return {"webhook-id": ident, "webhook-timestamp": str(int(at))}


def _sent(  # noqa: PLR0913, PLR0917 - the parts of one request
    scheme: str, host: str, address: tuple[str, int], path: str, query: str, body: bytes, headers: dict[str, str]
) -> Answer:
    connection = _connection(scheme, host, address)
    ending = threading.Timer(_WHOLE, _hang_up, [connection.sock])
    ending.start()
    try:
        target = f"{path}?{query}" if query else path
        connection.request("POST", target, body=body, headers={"User-Agent": "holdfast", **headers})
        reply = connection.getresponse()
        return _judged(reply.status, reply.getheader("Location") or "", reply.getheader("Retry-After") or "")
    finally:
        ending.cancel()
        connection.close()


def _hang_up(connected: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)


def _connection(scheme: str, host: str, address: tuple[str, int]) -> http.client.HTTPConnection:
    """Return an open connection to a checked address; TLS is checked for the host's name."""
    plain = socket.create_connection(address, timeout=TIMEOUT)
    try:
        secured = ssl.create_default_context().wrap_socket(plain, server_hostname=host) if scheme == "https" else plain
    except BaseException:
        plain.close()
        raise
    port = None if address[1] == (443 if scheme == "https" else 80) else address[1]  # None: the header Host has none
    name = f"[{host}]" if ":" in host and not port else host  # else the end of an address is read as a port
    connection = http.client.HTTPConnection(name, port, timeout=TIMEOUT)
    connection.sock = secured
    return connection


def _address(host: str, port: int, *, may_be_private: bool) -> tuple[str, int]:
    """Return the first address of a host that may be called; HoldfastError when it has none."""
    addresses = [str(row[4][0]) for row in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    usable = [one for one in addresses if may_be_private or is_public(one)]
    if not usable:
        raise HoldfastError(f"{host} is in a private network ({addresses[0]}); allow = [{host!r}] permits that")
    return usable[0], port


def is_public(address: str) -> bool:
    """Whether an address is one of the public network, also inside an IPv6 address that carries an IPv4 one."""
    parsed = ipaddress.ip_address(address.partition("%")[0])
    inner = getattr(parsed, "ipv4_mapped", None) or getattr(parsed, "sixtofour", None)
    if any(parsed in network for network in _WITH_IPV4):
        inner = ipaddress.ip_address(parsed.packed[-4:])
    return (inner or parsed).is_global and not parsed.is_multicast and parsed not in _AT_HOME


def _judged(status: int, location: str, retry_after: str) -> Answer:
    """Return what a status means: only 2xx is success, and a redirect is never followed."""
    if 200 <= status < 300:
        return Answer(status)
    wait = min(float(retry_after), _WAIT_MOST) if retry_after.isascii() and retry_after.isdigit() else 0.0
    if 300 <= status < 400:
        return Answer(status, f"answers {status}: it moved to {location[:200]}, which is not followed; correct the url")
    return Answer(status, f"answers {status} {http.client.responses.get(status, '')}".rstrip(), wait)


def _reason(error: Exception, host: str) -> str:
    """Return why a request failed, for a person."""
    if isinstance(error, socket.gaierror):
        return f"{host} has no address: {error.strerror or error}"
    if isinstance(error, TimeoutError):
        return f"{host} does not answer within {TIMEOUT:g} s"
    return f"{host}: {getattr(error, 'strerror', None) or str(error) or type(error).__name__}"


def now() -> float:
    """Return the time in seconds since 1970; tests replace it."""
    return time.time()
