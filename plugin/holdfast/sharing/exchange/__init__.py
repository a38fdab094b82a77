"""Exchanges with the remote: sending and fetching, switching sharing on and off."""
