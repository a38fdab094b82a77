"""Ids such as LOOP-007. They are numbered across all worktrees of a repository, and no number is used twice."""

import re
from collections.abc import Iterable

from holdfast.core import fast_json, files
from holdfast.core.errors import HoldfastError
from holdfast.core.patterns import pattern
from holdfast.project.paths import Project

_LAST = 999_999  # a longer number is not an id
_AHEAD = 1000  # numbers by which another machine may be ahead; more is an error there
_OTHERS = "/sharing/numbers"  # in the store; it goes when sharing ends
KINDS = ("LOOP", "TASK", "DECISION", "PLAN")
_ID = pattern(rb"(?<!\w)(%b)-([0-9]{1,6})(?![0-9]|-[0-9])" % "|".join(KINDS).encode(), re.IGNORECASE)


def parse(kind: str, text: str) -> str:
    """Return the full id for `7`, `007`, `loop-7` or `LOOP-007`, "" for any other text."""
    match = re.fullmatch(rf"(?:{kind}-)?([0-9]{{1,6}})", text.strip(), re.IGNORECASE)
    return full_id(kind, int(match[1])) if match else ""


def full_id(kind: str, number: int) -> str:
    """Return the id with this number, with at least three digits."""
    return f"{kind}-{number:03d}"


def split_title(kind: str, text: str) -> tuple[str, str] | None:
    """Split a title such as "TASK-003 - Parse" into id and rest; None without an id of this kind at the start.

    The id that it had before a merge, as in "TASK-007 - Parse (was TASK-003)", is left out.
    """
    match = re.fullmatch(
        rf"({kind}-[0-9]{{1,6}})(?:\s*[-:\u2013\u2014]\s*|\s+)(\S.*)", text.strip(), re.IGNORECASE | re.DOTALL
    )
    return (parse(kind, match[1]), without_alias(match[2])) if match else None


def without_alias(title: str) -> str:
    """Return a title without the id that it had before a merge."""
    return re.sub(r" \(was [A-Z]+-[0-9]{1,6}\)$", "", title)


def highest(kind: str, texts: Iterable[bytes]) -> int:
    """Return the highest number of an id of this kind in the texts, 0 when there is none."""
    return max((number for text in texts for number in _numbers(text).get(kind, ())), default=0)


def _numbers(text: bytes) -> dict[str, set[int]]:
    """Return the numbers of the ids in a text, by kind."""
    numbers: dict[str, set[int]] = {}
    for kind, number in _ID.findall(text):
        numbers.setdefault(kind.decode().upper(), set()).add(int(number))
    return numbers


def in_reach(store: str, text: bytes) -> bytes:
    """Return a text, or the ids in it that are little ahead of others in it, or of the last one used here.

    Who writes LOOP-900000 into a file would otherwise decide which id the next question gets.
    """
    numbers = _numbers(text)
    if all(_reached(0, known) == max(known) for known in numbers.values()):
        return text  # the usual case, which reads no file of the store
    near = {kind: _reached(_highest(store, kind, 0), known) for kind, known in numbers.items()}
    if all(near[kind] >= max(known) for kind, known in numbers.items()):
        return text
    return " ".join(full_id(kind, number) for kind, number in near.items()).encode()


def _reached(number: int, known: set[int]) -> int:
    """Return the highest of the known numbers that is reached from a number by small steps."""
    for each in sorted(known):
        number = max(number, each) if each <= number + _AHEAD else number
    return number


def next_number(project: Project, kind: str, texts: Iterable[bytes]) -> str:
    """Return a new id and record it as used; the caller holds the lock. HoldfastError when all numbers are used.

    It follows the highest one that was recorded here, is in the texts, or was taken on another machine. When the
    record is missing or damaged, the texts decide.
    """
    path = f"{project.store}/ids"
    number = _next(project.store, kind, texts)
    files.write_private(path, fast_json.dumps({**_used(path), kind: number}).encode() + b"\n")
    return full_id(kind, number)


def peek_number(project: Project, kind: str, texts: Iterable[bytes]) -> str:
    """Return the id that `next_number` would return, and record nothing."""
    return full_id(kind, _next(project.store, kind, texts))


def _next(store: str, kind: str, texts: Iterable[bytes]) -> int:
    """Return the number after the highest one that was recorded or is in the texts."""
    number = _highest(store, kind, highest(kind, texts)) + 1
    if number > _LAST:
        last = full_id(kind, _LAST)
        raise HoldfastError(
            f"{last} is in a file of this project, and no higher id is possible. Change it to a free one."
        )
    return number


def last_used(project: Project, kind: str) -> int:
    """Return the last number that was used of a kind, 0 for none."""
    return _highest(project.store, kind, 0) if project.store else 0


def _highest(store: str, kind: str, number: int) -> int:
    """Return the highest of a number and of those recorded here and on other machines, which may be little ahead."""
    here = max(_used(f"{store}/ids").get(kind, 0), number)
    there = _used(store + _OTHERS).get(kind, 0)
    return there if here < there <= here + _AHEAD else here


def taken(store: str) -> dict[str, int]:
    """Return the last number of each kind that was used here, for other machines."""
    return {kind: number for kind, number in _used(f"{store}/ids").items() if kind in KINDS}


def clean(value: object) -> dict[str, int]:
    """Return the numbers in what another machine says that it used."""
    numbers = value if isinstance(value, dict) else {}
    return {kind: numbers[kind] for kind in KINDS if type(numbers.get(kind)) is int and 0 < numbers[kind] <= _LAST}


def reserve(store: str, others: Iterable[dict[str, int]]) -> None:
    """Record the numbers that other machines used, so that they are not given here; OSError."""
    known = list(others)
    highest_there = {kind: max((one.get(kind, 0) for one in known), default=0) for kind in KINDS}
    files.write_private(store + _OTHERS, fast_json.dumps(highest_there).encode(), durable=False)


def _used(path: str) -> dict[str, int]:
    """Return the last number that was used of each kind."""
    recorded = fast_json.read_object(path).items()
    return {kind: number for kind, number in recorded if type(number) is int and 0 <= number <= _LAST}
