"""The line ends that a file may have."""

NEWLINES = ("\n", "\r\n", "\r")
