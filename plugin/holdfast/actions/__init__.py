"""Use cases that hooks and commands share."""
