"""JSON without `json`: the same values and one kind of error, whichever modules are loaded."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core import fast_json
from holdfast.project import paths

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
BAD = {
    "empty": b"",
    "blank": b" \r\n\t",
    "only a mark": b"\xef\xbb\xbf",
    "prose": b"hello",
    "cut off": b'{"a": [1, 2',
    "cut off in a string": b'{"a": "b',
    "cut off after a key": b'{"a"',
    "a stray comma": b"[1,]",
    "a bad escape": rb'"\x"',
    "a cut-off escape": rb'"\u12',
    "single quotes": b"{'a': 1}",
    "a value and more": b"{} {}",
    "a value and a NUL": b"{}\0",
    "nested without end": b"[" * 200_000,
    "nested too deeply": b"[" * 200_000 + b"]" * 200_000,
    "a number of 9,000 digits": b"9" * 9_000,
}


@given(JSON)
def test_reads_what_json_writes(value: object) -> None:
    """A value that `json` wrote, in ASCII or not, is read back equal."""
    assert fast_json.loads(json.dumps(value).encode()) == value
    assert fast_json.loads(json.dumps(value, ensure_ascii=False).encode()) == value


@given(JSON)
def test_writes_what_json_reads(value: object) -> None:
    """A value is written as one line of ASCII that `json` reads as the same value."""
    written = fast_json.dumps(value)
    assert written.isascii()
    assert written.isprintable()
    assert json.loads(written) == value


@given(st.binary())
def test_any_bytes_are_a_value_or_a_value_error(data: bytes) -> None:
    """No input raises any error but ValueError."""
    try:
        fast_json.loads(data)
    except ValueError:
        return


@pytest.mark.parametrize("data", BAD.values(), ids=BAD.keys())
def test_refuses_what_is_not_json(data: bytes) -> None:
    """Text that is not one JSON value is a ValueError."""
    with pytest.raises(ValueError, match=r"."):
        fast_json.loads(data)


@pytest.mark.parametrize("data", BAD.values(), ids=BAD.keys())
def test_refuses_bad_input_without_json_loaded(data: bytes) -> None:
    """When json.decoder is not loaded, as in a hook, bad input still raises ValueError."""
    program = """if True:
        import sys
        sys.path.insert(0, sys.argv[1])
        from holdfast.core import fast_json
        data = sys.stdin.buffer.read()
        assert "json" not in sys.modules
        try:
            fast_json.loads(data)
        except ValueError:
            print("refused")
    """
    command = [sys.executable, "-I", "-S", "-c", program, paths.PLUGIN_ROOT + "/plugin"]
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == (b"refused\n", b"", 0)


@pytest.mark.parametrize(
    ("data", "value"),
    [
        pytest.param(b'\xef\xbb\xbf{"a": 1}', {"a": 1}, id="a byte order mark"),
        pytest.param(b'\r\n\t {"a": 1} \n', {"a": 1}, id="blanks around it"),
        pytest.param(b'"a\tb\nc"', "a\tb\nc", id="control characters in a string"),
        pytest.param(b'"\xff\xfe"', "\ufffd\ufffd", id="bytes that are not UTF-8"),
        pytest.param(rb'"\ud800"', "\ud800", id="half a surrogate pair"),
        pytest.param(b'{"a": 1, "a": 2}', {"a": 2}, id="a key twice"),
        pytest.param(b"1e999", math.inf, id="a number out of range"),
        pytest.param(b"-Infinity", -math.inf, id="minus infinity"),
    ],
)
def test_is_tolerant_where_the_meaning_is_clear(data: bytes, value: object) -> None:
    """Input that is almost JSON and has only one meaning is read."""
    assert fast_json.loads(data) == value


def test_writes_lone_surrogates_as_ascii() -> None:
    """A text with lone surrogates is written and read back equal."""
    assert fast_json.dumps("\ud800é") == r'"\ud800\u00e9"'
    assert fast_json.loads(fast_json.dumps("\ud800é").encode()) == "\ud800é"


@pytest.mark.parametrize(
    "value", [{1, 2}, b"bytes", object(), {"deep": [object]}], ids=["set", "bytes", "object", "in"]
)
def test_refuses_values_that_json_cannot_express(value: object) -> None:
    """A value that JSON cannot express raises TypeError with the name of its type."""
    with pytest.raises(TypeError, match="not JSON: "):
        fast_json.dumps(value)


def test_what_is_under_a_key_has_the_type_that_is_asked_for() -> None:
    """A value of another type counts as none, as a damaged file may have it."""
    table: dict[str, object] = {"text": "a", "number": 2, "list": ["a", 3, {"b": 1}], "table": {"c": 1}, "huge": 1e30}
    assert [fast_json.text_of(table, key) for key in ("text", "number", "missing")] == ["a", "", ""]
    assert [fast_json.number_of(table, key) for key in ("number", "text", "huge")] == [2.0, 0.0, 0.0]
    assert [fast_json.list_of(table, key) for key in ("list", "text")] == [["a", 3, {"b": 1}], []]
    assert [fast_json.texts_of(table, key) for key in ("list", "text")] == [["a", "3", "{'b': 1}"], []]
    assert [fast_json.rows_of(table, key) for key in ("list", "table")] == [[{"b": 1}], []]
    assert [fast_json.table_of(table, key) for key in ("table", "list")] == [{"c": 1}, {}]


@pytest.mark.parametrize(
    ("value", "expected"),
    [(1.5, 1.5), (-2, -2.0), ("1", 0.0), (1e11 - 1, 1e11 - 1), (1e11, 0.0), (-1e11, 0.0), (math.inf, 0.0)],
)
def test_a_number_is_one_of_a_time(value: object, expected: float) -> None:
    """Anything else, and what no time can be, is 0."""
    assert fast_json.number_of({"at": value}, "at") == expected
