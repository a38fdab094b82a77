"""Tests of sharing between machines."""
