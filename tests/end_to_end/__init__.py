"""Whole sessions on the real client."""
