"""How much of what a session meant reaches whoever takes the work over: `make continuity`."""
