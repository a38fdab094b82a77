"""Tests of holdfast.clients."""
