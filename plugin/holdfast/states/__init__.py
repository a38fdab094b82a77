"""One state file: recognised, read through its dialect, made from a template, filled with what is measured."""
