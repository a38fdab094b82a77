"""Tests of holdfast.markdown."""
