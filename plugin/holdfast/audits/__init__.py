"""One audit of a state file: what is missing, not filled in, contradictory, stale or broken."""
