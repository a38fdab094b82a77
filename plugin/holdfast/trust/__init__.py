"""Who wrote a text, and how much of it may be stored, shown and given to Claude."""
