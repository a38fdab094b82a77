"""Drift: the differences between a state file and what was measured."""
