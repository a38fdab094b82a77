"""Hand-overs: what a paused session leaves for the next one."""
