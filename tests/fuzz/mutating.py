"""Inputs made of others by chance, the same ones for the same seed: no coverage is needed for it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.fuzz.target import Target

LARGEST = 6000  # bytes of an input
_ENDS = (b"\n", b"\r\n", b"\r", b"\n\n", b"\0", b"\xff", b"\xe2\x80\xa8")


def inputs(target: Target, seed: int) -> Iterator[bytes]:
    """Yield inputs without end, each made of some that are known."""
    chance = random.Random(f"{target.name} {seed}")  # noqa: S311 - the same inputs each time are what is wanted
    known = target.known() or [b""]
    while True:
        yield mutated(chance.choice(known), known, target.words, chance)


def mutated(data: bytes, known: list[bytes], words: tuple[bytes, ...], chance: random.Random) -> bytes:
    """Return an input with a few changes: what is there moves, goes, comes twice, or a word comes in."""
    for _ in range(chance.choice((1, 1, 2, 3, 5))):
        other = chance.choice(known)
        data = chance.choice(_CHANGES)(data, other, words, chance)[:LARGEST]
    return data


def _span(data: bytes, chance: random.Random) -> tuple[int, int]:
    """Return a span: mostly a short one, at times whole lines."""
    at = chance.randrange(len(data) + 1)
    if chance.random() < 0.4:
        end = data.find(b"\n", at)
        return data.rfind(b"\n", 0, at) + 1, len(data) if end < 0 else end + 1
    return at, min(len(data), at + int(2 ** chance.uniform(0, 8)))


def _word(data: bytes, _: bytes, words: tuple[bytes, ...], chance: random.Random) -> bytes:
    start, end = _span(data, chance)
    word = chance.choice(words) * chance.choice((1, 1, 1, 1, 2, 3, 40))
    return data[:start] + word + data[chance.choice((start, start, end)) :]


def _gone(data: bytes, _: bytes, __: tuple[bytes, ...], chance: random.Random) -> bytes:
    start, end = _span(data, chance)
    return data[:start] + data[end:]


def _twice(data: bytes, _: bytes, __: tuple[bytes, ...], chance: random.Random) -> bytes:
    start, end = _span(data, chance)
    return data[:end] + data[start:end] * chance.choice((1, 1, 2, 30)) + data[end:]


def _moved(data: bytes, _: bytes, __: tuple[bytes, ...], chance: random.Random) -> bytes:
    start, end = _span(data, chance)
    piece, rest = data[start:end], data[:start] + data[end:]
    at, _end = _span(rest, chance)
    return rest[:at] + piece + rest[at:]


def _joined(data: bytes, other: bytes, _: tuple[bytes, ...], chance: random.Random) -> bytes:
    start, end = _span(other, chance)
    at, _end = _span(data, chance)
    piece = other[start:end] if chance.random() < 0.7 else other[start:]
    return data[:at] + piece + data[at:]


def _turned(data: bytes, _: bytes, __: tuple[bytes, ...], chance: random.Random) -> bytes:
    if not data:
        return data
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


def _ended(data: bytes, _: bytes, __: tuple[bytes, ...], chance: random.Random) -> bytes:
    end = chance.choice(_ENDS)
    if chance.random() < 0.3:
        return data.replace(b"\n", end)
    at, _end = _span(data, chance)
    return data[:at] + end + data[at:]


def _cut(data: bytes, _: bytes, __: tuple[bytes, ...], chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


_CHANGES: tuple[Callable[[bytes, bytes, tuple[bytes, ...], random.Random], bytes], ...] = (
    *(_word, _word, _word, _gone, _twice, _moved, _joined, _joined, _turned, _ended),
    _cut,
)
