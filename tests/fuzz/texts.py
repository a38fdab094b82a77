"""What people say in a word or a line: names, statuses, times, placeholders, links, the arguments of an update."""

from __future__ import annotations

import re

from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.formats import names
from holdfast.hub import entry_values
from holdfast.hub.entry_values import links_in
from holdfast.hub.update import KEYS, read_request
from holdfast.memory import available_actions, step, view
from holdfast.memory.loops.elements import tidy
from holdfast.project import ids
from holdfast.trust import safe, secrets
from tests.fuzz import words
from tests.fuzz.target import Target
from tests.support import keys

_STATUS = (
    b"completed",
    b"in progress",
    b"Phase 2 complete",
    b"75%",
    b"(draft)",
    b"[Phase 1]",
    b"\xe2\x9c\x85",
    b"TBD",
    b"...",
)
_WORDS = (
    *_STATUS,
    *words.TIMES,
    *words.VALUE,
    *words.ODD,
    b"(",
    b")",
    b"[",
    b"]",
    b"{{",
    b"}}",
    b"<",
    b">",
    b"*",
    b"_",
    b"`",
)
_SECRETS = (b"password: ", b"token=", b"sk-", b"-----BEGIN PRIVATE KEY-----", b"https://a:b@c", b"Bearer ", b"\x1b]")
_UPDATE = (
    b'action=started agent=implementor session_id=abc-1 purpose="Import \\"the\\" list" context="files_modified:[a,b]"',
    b"action=completed session_id='abc' parent_session=p1 context=tests_pass:true, note:\"a b\" and words",
    b'action=paused session_id=x context={"files": ["a", {"b": 1}], "token": "abcdef123456"}',
    b"action=waiting session_id=x purpose=a \\b=c branch=feat/x\0context=app/[id]/page.tsx:[a,[b]]",
)
_KEYS = tuple(f"{key}=".encode() for key in KEYS)


def some_words(data: bytes) -> None:
    """Check that names, statuses, times, placeholders and links are read in any text."""
    stated = data.decode("utf-8", "surrogateescape")
    for read in (names.plain, names.whole, names.remarked, names.percent, names.number, names.forms, clock.find):
        read(stated)
    assert names.category(stated, {"active": ["phase complete"]}) in {"", "active", "waiting", "paused", "completed"}
    for asked in (names.is_placeholder, names.is_nothing_else, names.is_blank):
        assert asked(stated) in {True, False}
    assert all(link.ident for link in links_in(stated))
    if clock.form(stated) and clock.read(stated) > 0:
        assert clock.read(clock.write(clock.read(stated), clock.form(stated))) == clock.read(stated)
    for worded in (view.split, view.called, view.stacked, view.numbered, step.fit, view.bare):
        worded(stated)
    for acted in (available_actions.key, available_actions.command):
        acted(stated)
    ids.parse("LOOP", stated)
    ids.split_title("LOOP", stated)
    _fit(stated)


def _fit(stated: str) -> None:
    """Check that text made fit to be shown has no control characters, and is as it was when it is made fit again."""
    shown = safe.plain(stated)
    assert shown.replace("\n", "").replace("\t", "").isprintable() or not re.search(r"[\x00-\x08\x0e-\x1f\x7f]", shown)
    line = safe.line(stated, 80)
    assert len(line) <= 80
    assert not re.search(r"[\r\n]", line)
    tidied = tidy(stated)
    assert tidy(tidied) == tidied


def the_keys(data: bytes) -> None:
    """Check that the quick look which spares ordinary text the patterns spares none that they would mask."""
    stated = data.decode("utf-8", "surrogateescape")
    assert safe.mask(stated) == secrets.masked(stated, safe.MASK)


def _keys() -> list[bytes]:
    """Return keys of every issuer, and values of names that give them away in each disguise."""
    named = [f"{disguise(name)}: a1b2c3d4e5" for name in keys.NAMES for disguise in keys.DISGUISES]
    return [each.encode() for each in (*map(keys.made, keys.SHAPES), *named)]


def the_arguments(data: bytes) -> None:
    """Check that any arguments are an update or are refused, and that a context is reported in lines of its own."""
    whole = data.decode("utf-8", "surrogateescape")
    for arguments in ((whole,), tuple(whole.split("\0")), tuple(whole.split())):
        try:
            asked = read_request(arguments, "own")
        except HoldfastError as error:
            assert str(error)
            continue
        assert asked.status
        assert "\n" not in asked.purpose + asked.branch
        reported = entry_values.parse(asked.context)
        assert all("\n" not in one.shown for one in reported)
        known: list[str] = []
        for one in reported:
            place = entry_values.merged(known, one)
            if place:
                known[place[0] :] = [place[1], *known[place[0] + 1 :]]
            assert entry_values.merged(known, one) is None


TARGETS = [
    Target("words", some_words, lambda: [*_STATUS, *words.TIMES, *words.VALUE, *_SECRETS], (*_WORDS, *_SECRETS), 400),
    Target("keys", the_keys, _keys, tuple(map(str.encode, (*keys.LITERALS, *keys.NAMES, *keys.JOINTS))), 400),
    Target(
        "arguments",
        the_arguments,
        lambda: [*_UPDATE],
        (
            *_KEYS,
            *words.VALUE,
            *words.ODD,
            b'"',
            b"'",
            b"\\",
            b"=",
            b"a:[",
            b"]",
            b"{",
            b"}",
            b"a:",
            b", ",
            b"//",
            b"\0",
        ),
        300,
    ),
]
