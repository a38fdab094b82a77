"""Sessions that remember: the state of every Claude Code session, kept beside the code."""
