"""What a state file says against what was measured, item by item."""
