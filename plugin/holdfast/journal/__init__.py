"""Recorded facts: what hooks measure, and the state of a session that follows from its facts."""
