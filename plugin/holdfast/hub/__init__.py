"""The hub: the register of all sessions (formats/genie-session-state-protocol.md and its updater)."""
