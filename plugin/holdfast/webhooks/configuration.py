"""Adds webhooks to the user's settings and removes them; all other bytes of the file stay. The importer of tomlkit."""

import base64
import os
import re
from dataclasses import fields
from urllib.parse import urlsplit

import tomlkit
from tomlkit.exceptions import TOMLKitError

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.project import user_settings
from holdfast.webhooks.endpoint import Endpoint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
