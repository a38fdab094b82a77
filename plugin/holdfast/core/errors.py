"""The one error whose text is shown to users."""


class HoldfastError(Exception):
    """A problem that the user can solve. The text is the whole message: what failed, where, what to type next."""
