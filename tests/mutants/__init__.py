"""Small faults put into the library one at a time, to see whether the tests notice them."""
