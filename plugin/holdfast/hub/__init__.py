"""The hub, which lists all sessions (formats/genie-session-state-protocol.md and its updater)."""
