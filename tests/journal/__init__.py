"""Tests of holdfast.journal."""
