"""One POST: to an address that may be called, without redirects, within a time; signed by Standard Webhooks.

The host's name is resolved once, each address is checked, and the connection goes to the address that was checked: a
name that leads somewhere else a moment later changes nothing. Only the first line and the headers of the answer are
read, so an answer that lies about its length costs nothing.
"""

import contextlib
import http.client
import ipaddress
import socket
import ssl
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

from holdfast.core.errors import HoldfastError
from holdfast.trust import safe

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
