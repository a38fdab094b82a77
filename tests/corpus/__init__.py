"""State files of the shapes that people's files have, each with what a person reads from it; all invented."""
