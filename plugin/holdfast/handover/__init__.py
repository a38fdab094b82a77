"""What a paused session leaves for the next one, `.continue-here.md`: written, found, taken up."""
