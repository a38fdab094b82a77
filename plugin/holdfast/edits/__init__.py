"""One edit of a state file: where it belongs, how it is laid out, the bytes it comes to, and a second look."""
