"""Hostile input: for each thing that holdfast reads, bytes of any kind, and what must hold whatever they are."""
