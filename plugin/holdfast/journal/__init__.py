"""Recorded facts: what hooks write down, and what the facts of one session come to."""
