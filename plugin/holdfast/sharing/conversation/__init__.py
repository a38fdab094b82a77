"""Shared conversations: what of a transcript is sent, how it is encrypted, and how it goes on elsewhere."""
