"""Tests of holdfast.formats."""
