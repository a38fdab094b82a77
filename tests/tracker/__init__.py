"""Issue trackers."""
