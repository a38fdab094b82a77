"""What holdfast costs: whole processes, as ratios to a bare interpreter in the same run. `make bench` runs them all."""
