"""Tests of holdfast.core."""
