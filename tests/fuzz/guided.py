"""One target for some time, in a process of its own: by coverage where atheris is there, else by chance alone."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import os
import pkgutil
import random
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from tests.fuzz.target import Target

_LONGEST = 20  # seconds of one input after which it hangs
_CACHE = Path(".venv/cache/fuzz")


def run(name: str, seconds: float) -> None:
    """Try a target; what breaks it is kept in the corpus, and leaves the process with an exit code that is not 0."""
    try:
        atheris: Any = importlib.import_module("atheris")
    except ImportError:
        atheris = None
    with atheris.instrument_imports(include=["holdfast"]) if atheris else contextlib.nullcontext():
        _load()
        from tests.fuzz.table import TARGETS
    target = next(target for target in TARGETS if target.name == name)
    if atheris:
        _by_coverage(atheris, target, seconds)
    else:
        _by_chance(target, seconds)


def _load() -> None:
    """Import all of the package, so that what is imported inside functions is measured as well."""
    import holdfast

    for module in pkgutil.walk_packages(holdfast.__path__, "holdfast."):
        if not module.name.endswith(("__main__", "hook")):
            importlib.import_module(module.name)


def _by_coverage(atheris: Any, target: Target, seconds: float) -> None:
    """Let libFuzzer make inputs, every other one by our own changes; it ends the process itself."""
    known, grown = target.known(), _CACHE / target.name
    from tests.fuzz import mutating
    from tests.fuzz.target import CORPUS

    kept = CORPUS / target.name
    for folder in (grown, kept):
        folder.mkdir(parents=True, exist_ok=True)
    for data in target.seeds():
        (grown / hashlib.sha1(data, usedforsecurity=False).hexdigest()).write_bytes(data)

    def changed(data: bytes, most: int, seed: int) -> bytes:
        chance = random.Random(seed)  # noqa: S311 - libFuzzer gives the seed
        if chance.random() < 0.5:
            return bytes(atheris.Mutate(data, most))
        return mutating.mutated(data, known, target.words, chance)[:most]

    options = [f"-max_total_time={seconds:.0f}", f"-timeout={_LONGEST}", f"-max_len={mutating.LARGEST}"]
    options += [f"-artifact_prefix={grown}/", "-print_final_stats=1", "-verbosity=0", "-rss_limit_mb=4096"]
    atheris.Setup([sys.argv[0], *options, str(grown), str(kept)], partial(checked, target), custom_mutator=changed)
    atheris.Fuzz()


def checked(target: Target, data: bytes) -> None:
    """Try an input; one that breaks something is kept, and `make test` tries it from then on."""
    try:
        target.check(data)
    except Exception:
        from tests.fuzz.target import CORPUS

        (CORPUS / target.name).mkdir(parents=True, exist_ok=True)
        name = "crash-" + hashlib.sha1(data, usedforsecurity=False).hexdigest()
        (CORPUS / target.name / name).write_bytes(data)
        raise


def _by_chance(target: Target, seconds: float) -> None:
    """Make inputs by chance until the time is over."""
    from tests.fuzz import mutating

    end, count = time.monotonic() + seconds, 0
    for data in _timed(mutating.inputs(target, os.getpid()), end):
        count += 1
        checked(target, data)
    sys.stderr.write(f"stat::number_of_executed_units: {count}\n")


def _timed(inputs: Iterator[bytes], end: float) -> Iterator[bytes]:
    """Yield inputs until a time."""
    for data in inputs:
        if time.monotonic() > end:
            return
        yield data


if __name__ == "__main__":
    run(sys.argv[1], float(sys.argv[2]))
