"""What holdfast writes passes the linters that people use, and works on after their corrections."""
