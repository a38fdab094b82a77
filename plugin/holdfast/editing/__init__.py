"""Byte-exact edits of state files, and the store that writes and stages them."""
