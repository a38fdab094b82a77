"""Loops: the open questions of a project, each with an id, in LOOPS.md."""
