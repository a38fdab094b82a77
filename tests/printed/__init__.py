"""What commands and hooks print, as approved texts."""
