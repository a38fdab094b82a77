"""Runs git: queries, staging, and protection against a hostile repository."""
