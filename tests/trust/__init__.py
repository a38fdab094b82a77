"""Tests of holdfast.trust."""
