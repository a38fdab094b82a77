"""Handle one event of the client: start reading at main.py."""
