"""What lists, figures and pages show of all sessions: one model, which reads each journal once."""
