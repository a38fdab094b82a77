"""Tests of holdfast.context."""
