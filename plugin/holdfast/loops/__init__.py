"""The open questions of a project, each with an id of its own, in LOOPS.md."""
