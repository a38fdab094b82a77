"""What the format documents demand, one case for each of their sentences."""
