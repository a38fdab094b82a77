"""Tests of holdfast.project."""
