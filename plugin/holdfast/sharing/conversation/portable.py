"""The lines of a transcript as they are sent: without secrets, ignored files, and records that only the client needs.

A transcript of Claude Code has one JSON object per line. A thinking block is signed by the model's provider, which
refuses one that was changed; so one with a secret becomes a text that says so. Numbers and ids stay as they are.
"""

import json
import os

from holdfast.sharing.ignored import MASK
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# Kinds of lines that only the machine that wrote them needs: requests as they were sent, copies of files.
_LOCAL = ("api-request", "file-history-snapshot", "queue-operation")
_PATHS = ("file_path", "filePath", "notebook_path", "path", "filename")
_SIGNED = ("thinking", "redacted_thinking")
_OPAQUE = ("signature", "encrypted_content", "encrypted_index")  # keys of values that the provider checks
_IDS = ("uuid", "id", "ref")  # ends of the keys of values that name something, in lower case
_KEPT = ("type", "id", "name", "tool_use_id")  # keys of a tool call and its result that say nothing of the file
_LEFT_OUT = "[A thought is left out here, because it names a secret or an ignored file.]"


class Portable:
    """Makes lines of one transcript portable. `ids` are those of tool calls on ignored files, which may span parts."""

    def __init__(
        self, root: str, is_ignored: "Callable[[str], bool]", hidden: "Callable[[str], str]", ids: "Iterable[str]" = ()
    ) -> None:
        self._root, self._is_ignored, self._hidden = root, is_ignored, hidden
        self.ids = [*ids]
        self._hit = False

    def lines(self, data: bytes) -> bytes:
        """Return the lines that are sent, each with a newline; what is not a JSON object is left out."""
        made = (self._line(line) for line in data.split(b"\n") if line.strip())
        return b"".join(line + b"\n" for line in made if line)

    def _line(self, line: bytes) -> bytes:
        try:
            return self._made(line, json.loads(line))
        except (ValueError, RecursionError):  # incomplete, or nested too deeply
            return b""

    def _made(self, line: bytes, value: object) -> bytes:
        if not isinstance(value, dict) or str(value.get("type")).startswith(_LOCAL):
            return b""
        self._hit = False
        made = self._object(value, named=True)
        if self._hit:  # the client's own rendering of the line, and the tool's answer in its own form
            made |= {key: _blank(made[key]) for key in ("rendered", "toolUseResult") if key in made}
        return line if made == value else json.dumps(made).encode()

    def _value(self, value: object, *, named: bool) -> object:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return [self._value(one, named=named) for one in value]
        return self._object(value, named=named) if isinstance(value, dict) else value

    def _object(self, value: "dict[str, object]", *, named: bool) -> "dict[str, object]":
        """Return an object clean; `named`: it is one of the client or of the API, whose ids stay as they are."""
        if named and value.get("type") in _SIGNED:
            return value if self._plain(value) else {"type": "text", "text": _LEFT_OUT}
        if self._is_of_ignored(value):
            self._hit = True
            return {key: one if key in _KEPT else _blank(one) for key, one in value.items()}
        return {self._text(key): self._member(key, one, named=named) for key, one in value.items()}

    def _member(self, key: str, value: object, *, named: bool) -> object:
        keeps = named and isinstance(value, str) and (key in _OPAQUE or key.lower().endswith(_IDS))
        if keeps or (named and key == "data"):
            return value
        return self._value(value, named=named and key not in {"input", "toolUseResult"})

    def _is_of_ignored(self, value: "dict[str, object]") -> bool:
        """Whether an object is about an ignored file: it names the path, or answers a call that did."""
        if value.get("type") == "tool_use" and isinstance(value.get("input"), dict):
            if not self._names_ignored(value["input"]):
                return False
            self.ids.append(str(value.get("id")))
            return True
        return self._names_ignored(value) or value.get("tool_use_id") in self.ids

    def _names_ignored(self, value: object) -> bool:
        paths = [value.get(key) for key in _PATHS] if isinstance(value, dict) else []
        return any(isinstance(path, str) and self._is_ignored(self._relative(path)) for path in paths)

    def _relative(self, path: str) -> str:
        return os.path.relpath(path, self._root) if path.startswith(f"{self._root}/") else path

    def _plain(self, value: "dict[str, object]") -> bool:
        thought = value.get("thinking")
        return not isinstance(thought, str) or self._text(thought) == thought

    def _text(self, text: str) -> str:
        return safe.mask(self._hidden(text))


def _blank(value: object) -> object:
    """Return a value of the same shape without any text."""
    if isinstance(value, str):
        return MASK
    if isinstance(value, list):
        return [_blank(one) for one in value]
    if isinstance(value, dict):
        return {key: one if key in {"type", "role"} else _blank(one) for key, one in value.items()}
    return value
