"""Tests of holdfast.hooks."""
