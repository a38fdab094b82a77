"""What differs between coding clients: event names, tool names and their meaning, paths, and the shape of answers."""
