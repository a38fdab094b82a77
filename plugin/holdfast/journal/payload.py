"""What Claude Code sends a hook on standard input, read tolerantly: unknown keys and wrong types are no errors."""

import os

from holdfast.core import fast_json

_NAMES = (1 << 61) - 1  # prime: what is no id comes to one of so many


class Payload:
    """One event. Each accessor gives "" for what is missing or of another type, so no caller has to ask."""

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

    @property
    def session(self) -> str:
        """The session's id; "" unless it is fit to be a file name."""
        name = self.text("session_id")
        return name if is_session(name) else ""

    @property
    def agent(self) -> str:
        """The id of the subagent in which the event happened, fit to be shown anywhere; "" in the session itself."""
        name = self.text("agent_id")
        if not name or is_session(name):
            return name
        return f"unfit-{int.from_bytes(name.encode('utf-8', 'surrogatepass'), 'big') % _NAMES:x}"

    @property
    def cwd(self) -> str:
        """The folder in which Claude stands; it moves with Claude."""
        folder = self.text("cwd")
        return folder if folder.startswith("/") and is_path(folder) else ""

    def start_folder(self, folder: str) -> str:
        """Return the folder in which the session was started: `folder` if it is absolute, else where Claude stands."""
        return folder if folder.startswith("/") else self.cwd or os.getcwd()


def is_session(name: str) -> bool:
    """Whether a session's id is fit to be a file name."""
    plain = name.replace("-", "").replace("_", "")
    return len(name) <= 128 and plain.isascii() and plain.isalnum()


def is_path(text: str) -> bool:
    """Whether a file can have this path: no system takes a null character, nor half of a character that is two."""
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
