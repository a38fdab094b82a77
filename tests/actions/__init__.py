"""Tests of holdfast.actions."""
