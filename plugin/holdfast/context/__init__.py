"""Text for Claude and the user: brief, checklist and reminder."""
