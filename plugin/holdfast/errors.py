"""The one error that people are meant to see."""


class HoldfastError(Exception):
    """Something a person can put right; its text is the whole message: what, where, and what to type next."""
