"""The real Claude Code client, driven against a scripted API on loopback."""
