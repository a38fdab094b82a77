"""The hub: the register of all sessions of a project (formats/genie-session-state-protocol.md and its updater)."""
