"""JSON for the hot path: the C scanner and encoder of CPython, without the cost of importing `json`."""

from holdfast.core import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


class _Tolerant:
    """The options that the C scanner reads from its caller: those of `json.loads(text, strict=False)`."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def _codec() -> "tuple[Callable[[str, int], tuple[object, int]], Callable[[object], str]]":
    """Return (scan, encode), from `json` where CPython's internal module `_json` is missing."""
    try:
        from _json import encode_basestring_ascii, make_encoder, make_scanner

        chunks = make_encoder(None, _refuse, encode_basestring_ascii, None, ": ", ", ", False, False, True)
        scan = make_scanner(_Tolerant)  # type: ignore[arg-type] # any object with these attributes works
        return scan, lambda value: "".join(chunks(value, 0))
    except (ImportError, TypeError, AttributeError):
        import json

        return json.JSONDecoder(strict=False).raw_decode, json.dumps


def _refuse(value: object) -> object:
    """Raise TypeError: JSON cannot express this value."""
    raise TypeError("not JSON: " + type(value).__name__)


_scan, _encode = _codec()
_BLANK = " \t\r\n"
_LATEST = 1e11  # seconds since 1970 that still have a date; a broken file may hold any number


def loads(data: bytes) -> object:
    """Return the JSON value in `data`; bytes that are not UTF-8 become U+FFFD. ValueError when it is not JSON."""
    text = data.decode("utf-8", "replace")
    start = len(text) - len(text.lstrip(_BLANK + "\ufeff"))
    try:
        value, end = _scan(text, start)
    except (StopIteration, SystemError):  # 3.11 and 3.10 cannot build their error before json.decoder is imported
        raise ValueError("not JSON") from None
    except RecursionError:
        raise ValueError("not JSON: nested too deeply") from None
    if text[end:].strip(_BLANK):
        raise ValueError("not JSON: text after the value")
    return value


def dumps(value: object) -> str:
    """Return `value` as one line of ASCII JSON; TypeError for a value that JSON cannot express."""
    return _encode(value)


def read_object(path: str) -> "dict[str, object]":
    """Return the JSON object in a file, {} when it is missing, broken or not an object."""
    try:
        return object_in(files.read(path, files.OWN_LIMIT))
    except OSError:
        return {}


def object_in(data: bytes) -> "dict[str, object]":
    """Return the JSON object in `data`, {} when it is broken or not an object."""
    try:
        value = loads(data)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def text_of(table: "Mapping[str, object]", key: str) -> str:
    """Return the text under a key, "" for anything else."""
    value = table.get(key)
    return value if isinstance(value, str) else ""


def number_of(table: "Mapping[str, object]", key: str) -> float:
    """Return the number under a key, 0.0 for anything else and for a number that is too large for a time."""
    value = table.get(key)
    return float(value) if isinstance(value, (int, float)) and abs(value) < _LATEST else 0.0


def list_of(table: "Mapping[str, object]", key: str) -> "list[Any]":
    """Return the list under a key, [] for anything else; its entries may be of any type."""
    value = table.get(key)
    return value if isinstance(value, list) else []


def texts_of(table: "Mapping[str, object]", key: str) -> "list[str]":
    """Return the entries of the list under a key as texts, [] for anything else."""
    return [str(one) for one in list_of(table, key)]


def rows_of(table: "Mapping[str, object]", key: str) -> "list[Any]":
    """Return the objects in the list under a key, [] for anything else; what each one has is not checked."""
    return [one for one in list_of(table, key) if isinstance(one, dict)]


def table_of(table: "Mapping[str, object]", key: str) -> "dict[str, object]":
    """Return the object under a key, {} for anything else."""
    value = table.get(key)
    return value if isinstance(value, dict) else {}
