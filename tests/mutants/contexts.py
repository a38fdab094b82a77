"""A plugin of pytest that tells coverage which test is at work, and writes down how long each test took."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from coverage import Coverage

from tests.support.covered import MEASURED_INTO, TEST

if TYPE_CHECKING:
    from collections.abc import Generator

SECONDS = "MUTANTS_SECONDS"  # names the file that gets the seconds of each test, as a JSON object
_taken: Counter[str] = Counter()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Count what a test, its fixtures and their processes run as reached by it; all cases of a table are one test."""
    name = item.nodeid.partition("[")[0]
    measured = Coverage.current()
    assert measured
    measured.switch_context(name)
    Path(os.environ[MEASURED_INTO] + TEST).write_text(name)
    began = time.monotonic()
    result = yield
    _taken[name] += time.monotonic() - began  # type: ignore[assignment] # seconds are no whole numbers
    return result


def pytest_sessionfinish() -> None:
    """Write the seconds."""
    Path(os.environ[SECONDS]).write_text(json.dumps(_taken))
