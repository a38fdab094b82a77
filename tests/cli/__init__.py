"""Tests of holdfast.cli."""
