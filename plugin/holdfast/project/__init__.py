"""Where the parts of a project are, its settings, and how holdfast is installed."""
