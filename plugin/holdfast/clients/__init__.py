"""What differs between coding clients, as one module of data for each: events, tools, paths, answers, how to resume."""
