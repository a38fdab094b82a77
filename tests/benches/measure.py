"""How things are measured: what is compared runs in turn in one loop, so that all else a machine does meets both."""

from __future__ import annotations

import os
import statistics
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Subject = Callable[[], float]

ROUNDS = int(os.environ.get("HOLDFAST_BENCH_ROUNDS", "9"))


class Figures(NamedTuple):
    """What some runs took, in seconds, and how many times as long as what ran in turn with them."""

    median: float
    least: float
    low: float
    high: float
    ratio: float

    @property
    def cells(self) -> str:
        """The figures as cells of a table: milliseconds, then the ratio."""
        median, least, low, high = (value * 1e3 for value in self[:4])
        return f"{median:.1f} | {least:.1f} | {low:.1f} to {high:.1f} | {self.ratio:.2f}"


HEAD = "median ms | min ms | quartiles ms | x bare"


def figures(times: list[float], against: list[float]) -> Figures:
    """Return what these runs came to, set against the median of others."""
    low, median, high = statistics.quantiles(times, n=4) if times[1:] else times * 3
    return Figures(median, min(times), low, high, median / statistics.median(against))


def in_turn(subjects: Mapping[str, Subject], rounds: int = ROUNDS) -> dict[str, list[float]]:
    """Return what each subject took in each round, the first of which only warms up; every other one goes backwards."""
    times: dict[str, list[float]] = {name: [] for name in subjects}
    for number in range(rounds + 1):
        order: Iterable[str] = subjects if number % 2 else reversed([*subjects])
        for name in order:
            times[name].append(subjects[name]())
    return {name: measured[1:] for name, measured in times.items()}


def against_bare(bare: Subject, subjects: Mapping[str, Subject], rounds: int = ROUNDS) -> dict[str, Figures]:
    """Return the figures of each subject; before each run of one a bare interpreter runs."""
    times: dict[str, list[float]] = {name: [] for name in subjects}
    empty: dict[str, list[float]] = {name: [] for name in subjects}
    for _ in range(rounds + 1):
        for name, subject in subjects.items():
            empty[name].append(bare())
            times[name].append(subject())
    return {name: figures(times[name][1:], empty[name][1:]) for name in subjects}
