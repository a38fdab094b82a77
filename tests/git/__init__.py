"""Tests of holdfast.git."""
