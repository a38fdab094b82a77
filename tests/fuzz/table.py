"""All that is tried with hostile input."""

from __future__ import annotations

from tests.fuzz import facts, reading, starts, texts, writing

TARGETS = [*facts.TARGETS, *starts.TARGETS, *texts.TARGETS, *reading.TARGETS, *writing.TARGETS]
