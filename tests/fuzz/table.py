"""All that is tried with hostile input."""

from __future__ import annotations

from tests.fuzz import facts, reading, texts, writing

TARGETS = [*facts.TARGETS, *texts.TARGETS, *reading.TARGETS, *writing.TARGETS]
