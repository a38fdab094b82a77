"""Tests of holdfast.editing."""
