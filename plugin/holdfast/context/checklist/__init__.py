"""The completion checklist of a session, and what is measured for it."""
