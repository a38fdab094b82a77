"""Tests of holdfast.memory.loops."""
