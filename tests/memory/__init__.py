"""Tests of holdfast.memory."""
