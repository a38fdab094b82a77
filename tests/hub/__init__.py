"""Tests of holdfast.hub."""
