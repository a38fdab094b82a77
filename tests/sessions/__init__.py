"""Tests of holdfast.sessions."""
