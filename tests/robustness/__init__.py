"""Crashes, hostile input, many writers, and growth."""
