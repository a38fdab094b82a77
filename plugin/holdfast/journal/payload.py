"""The JSON object that a client sends a hook on standard input. Unknown keys and wrong types are not errors."""

import os

from holdfast.core import fast_json

_SHORTEST, _RUN, _LETTERS = 16, 10, 28  # characters of a key, of its longest part, and of one without digits
_WORDS, _DIGITS = 12, 15  # of the shortest phrase of a wallet, of a card's number; a date and a time have 14 digits
_NAMES = (1 << 61) - 1  # a prime; unusable ids are replaced by their remainder


class Payload:
    """One event. Each accessor returns "" for a key that is missing or has another type."""

    __slots__ = ("data",)

    def __init__(self, data: "dict[str, object]") -> None:
        self.data = data

    def text(self, *keys: str) -> str:
        """Return the text under a chain of keys; a number or truth value gives its JSON form."""
        value: object = self.data
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, str):
            return value
        return fast_json.dumps(value) if isinstance(value, (bool, int, float)) else ""

    def items(self, key: str) -> "list[Payload]":
        """Return the objects in the list under `key`."""
        value = self.data.get(key)
        return [Payload(item) for item in value if isinstance(item, dict)] if isinstance(value, list) else []

    def child(self, key: str) -> "Payload":
        """Return the object under `key`, an empty one where there is none."""
        value = self.data.get(key)
        return Payload(value if isinstance(value, dict) else {})

    @property
    def session(self) -> str:
        """The session's id, "" when it cannot be a file name."""
        name = self.text("session_id")
        return name if is_session(name) else ""

    @property
    def agent(self) -> str:
        """The id of the subagent in which the event happened, "" for the session itself; safe as a file name."""
        name = self.text("agent_id")
        if not name or (is_session(name) and masked(name) == name):
            return name
        return f"unfit-{int.from_bytes(name.encode('utf-8', 'surrogatepass'), 'big') % _NAMES:x}"

    @property
    def cwd(self) -> str:
        """Claude's current folder, which changes during a session; "" when unknown."""
        folder = self.text("cwd")
        return folder if folder.startswith("/") and is_path(folder) else ""

    def start_folder(self, folder: str) -> str:
        """Return the folder in which the session was started: `folder` if it is absolute, else Claude's current one."""
        return folder if folder.startswith("/") else self.cwd or os.getcwd()


def is_session(name: str) -> bool:
    """Whether a session's id can be a file name."""
    plain = name.replace("-", "").replace("_", "")
    return len(name) <= 128 and plain.isascii() and plain.isalnum()


def masked(name: str) -> str:
    """Return a path, a branch or an id with the secrets in it masked, in each of its parts and as a whole.

    Few names are long enough to hold one, so most tool calls do not import the module that masks.
    """
    if not any(mark in name for mark in "=@: \n\t") and all(map(_is_short, name.split("/"))):
        return name
    from holdfast.trust import safe

    return safe.mask("/".join(map(safe.mask, name.split("/"))))


def _is_short(part: str) -> bool:
    """Whether a part of a path is too short for a key, or has only words, a date and a time."""
    if "_live_" in part:  # keys that pay, of which the shortest have few letters and no digit
        return False
    pieces = part.replace("-", " ").replace("_", " ").split()
    if len(pieces) >= _WORDS or sum(map(str.isdigit, part)) >= _DIGITS:
        return False
    longest = max(map(len, pieces), default=0)
    return len(part) < _SHORTEST or longest < (_RUN if any(map(str.isdigit, part)) else _LETTERS)


def is_path(text: str) -> bool:
    """Whether a file can have this path: it has no null character and no lone surrogate."""
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def parse(data: bytes) -> Payload:
    """Return the payload in `data`; ValueError when it is not a JSON object."""
    value = fast_json.loads(data)
    if not isinstance(value, dict):
        raise ValueError("the payload is not a JSON object")
    return Payload(value)
