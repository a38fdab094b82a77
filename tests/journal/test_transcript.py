"""Transcripts of both client versions, complete or cut by a crash: the usage of the last request."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core import files
from holdfast.journal import transcript
from tests.support.machine import PYTHON, ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.journal.transcript import Usage

OLD = {"version": "2.1.197", "isSidechain": False, "userType": "external", "gitBranch": "main"}
NEW: dict[str, Any] = {
    **OLD,
    "version": "2.1.330",
    "apiBlockIndex": 0,
    "requestedModel": "claude-opus-5-5[1m]",
    "effort": "high",
}
POLLUTION = 'a text about "usage" and {"type":"assistant","message":{"usage":{"input_tokens":7}}}'


def answer(fresh: int = 1051, written: int = 20051, cached: int = 3051, output: int = 501, **changes: Any) -> bytes:
    """Return a line of an answer of the model; `usage` and `model` change its message, the rest the line."""
    usage: Any = {
        "input_tokens": fresh,
        "cache_creation_input_tokens": written,
        "cache_read_input_tokens": cached,
        "output_tokens": output,
        "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
        "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0},
        "iterations": [],
    }
    message = {"id": "msg_1", "role": "assistant", "content": [{"type": "text", "text": POLLUTION}]}
    message["model"] = changes.pop("model", "claude-opus-4-8")
    message["usage"] = changes.pop("usage", usage)
    return row(type="assistant", message=message, **changes)


def row(**line: Any) -> bytes:
    """Return a line of a transcript, without its end."""
    return json.dumps({**OLD, "timestamp": "2026-11-21T20:30:48.513Z", **line}, separators=(",", ":")).encode()


def user(text: str = "do it", **line: Any) -> bytes:
    """Return a line with a prompt or with a tool's result."""
    return row(type="user", message={"role": "user", "content": text}, **line)


def boundary(**usage: Any) -> bytes:
    """Return the line that a compaction writes."""
    return row(type="system", subtype="compact_boundary", content="Conversation compacted", compactMetadata=usage)


def read(path: Path, data: bytes) -> Usage | None:
    """Return the usage in a transcript with these bytes."""
    path.write_bytes(data)
    return transcript.usage(str(path))


def numbers(found: Usage | None) -> tuple[int, ...] | None:
    """Return the counts of a usage: all of them, fresh, written, cached and output."""
    return (found.used, found.fresh, found.written, found.cached, found.output) if found else None


FIRST = answer(1, 2, 3, 4)
LAST = (24153, 1051, 20051, 3051, 501)
EARLIER = (6, 1, 2, 3, 4)
NOISE = [
    row(type="queue-operation", operation="dequeue"),
    row(type="last-prompt", lastPrompt='say "usage"'),
    row(type="cost-state", modelUsage={"claude-opus-5-5": {"inputTokens": 5159}}, usage={"input_tokens": 9}),
    row(type="api-request-blob", message={"role": "user", "content": POLLUTION}, usage={"input_tokens": 9}),
    user(POLLUTION, toolUseResult={"usage": {"input_tokens": 9}}),
    row(type="system", subtype="stop_hook_summary", hookCount=1),
]
# Lines after the first answer, and the expected usage.
SHAPES: dict[str, tuple[list[bytes], tuple[int, ...] | None]] = {
    "an old client's answer": ([answer()], LAST),
    "a new client's answer": ([answer(**NEW)], LAST),
    "an answer in several lines": ([answer(), answer(), answer()], LAST),
    "much else after the answer": ([answer(), *NOISE], LAST),
    "a subagent's lines among it": ([answer(), answer(9, isSidechain=True, agentId="a1")], LAST),
    "an error of the API": ([answer(), answer(0, 0, 0, 0, model="<synthetic>", isApiErrorMessage=True)], LAST),
    "an error with numbers": ([answer(), answer(isApiErrorMessage=True, fresh=9)], LAST),
    "an answer that the client made up": ([answer(), answer(9, model="<synthetic>")], LAST),
    "all zero": ([answer(), answer(0, 0, 0, 0)], LAST),
    "no usage": ([answer(), answer(usage=None)], LAST),
    "a usage of another type": ([answer(), answer(usage=[{"input_tokens": 9}])], LAST),
    "counts of other types": ([answer(), answer(usage={"input_tokens": "9", "cache_read_input_tokens": True})], LAST),
    "counts that are none": ([answer(), answer(usage={"input_tokens": -9, "output_tokens": 1e3})], LAST),
    "a count beyond all measure": ([answer(), answer(10**13, 0, 0)], LAST),
    "some counts only": ([answer(usage={"input_tokens": 9})], (9, 9, 0, 0, 0)),
    "a message of another type": ([answer(), row(type="assistant", message="usage", usage={"input_tokens": 9})], LAST),
    "values that are no objects": ([answer(), b'["usage"]', b'"usage"', b"null", b""], LAST),
    "bytes that are no text": ([answer(), b'\xff\xfe"usage"\x00', answer()[:60] + b'"usage"\xff'], LAST),
    "a number too long to be read": ([answer(), b'{"usage":' + b"9" * 5000 + b"}"], LAST),
    "nested without end": ([answer(), b'{"usage":' + b"[" * 100_000], LAST),
    "a line of megabytes": ([answer(), user("x" * 3_000_000), user(POLLUTION * 20_000)], LAST),
    "an answer of megabytes": ([answer(content="x" * 3_000_000)], LAST),
    "spaces between": ([json.dumps(json.loads(answer()), indent=None).encode()], LAST),
    "a compaction before the answer": ([boundary(preTokens=9, postTokens=584), user(), answer()], LAST),
    "a compaction after the answer": ([answer(), boundary(preTokens=24654, postTokens=584), user()], (584, 0, 0, 0, 0)),
    "two compactions": ([boundary(postTokens=584), user(), boundary(postTokens=77)], (77, 0, 0, 0, 0)),
    "a compaction that does not say what it left": ([answer(), boundary(preTokens=24654)], None),
    "a compaction of another shape": ([answer(), row(type="system", subtype="compact_boundary")], None),
    "a compaction within a text": ([answer(), user('"compact_boundary"')], LAST),
    "a subagent's compaction": ([answer(), boundary(postTokens=5)[:-1] + b',"isSidechain":true}'], LAST),
}
ENDS = {"newline": b"\n", "carriage return": b"\r\n"}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_last_request_counts(tmp_path: Path, shape: str) -> None:
    """The last answer in the main conversation counts, or the last compaction; the final newline is optional."""
    lines, wanted = SHAPES[shape]
    for end in ENDS.values():
        data = end.join([user(), FIRST, *lines])
        assert numbers(read(tmp_path / "t.jsonl", data)) == wanted, end
        assert numbers(read(tmp_path / "t.jsonl", data + end)) == wanted, end


@pytest.mark.parametrize("cut", [1, 20, 400])
def test_an_incomplete_last_line_is_ignored(tmp_path: Path, cut: int) -> None:
    """An incomplete last line is ignored; the answer before it counts."""
    assert numbers(read(tmp_path / "t.jsonl", FIRST + b"\n" + answer()[:-cut])) == EARLIER


def test_model_and_time_are_returned(tmp_path: Path) -> None:
    """The requested model counts before the answering one; after a compaction the last known one counts."""
    path = tmp_path / "t.jsonl"
    old = read(path, answer())
    assert old
    assert (old.model, old.at, old.compacted) == ("claude-opus-4-8", "2026-11-21T20:30:48.513Z", False)
    new = read(path, answer(**NEW))
    assert new
    assert new.model == "claude-opus-5-5[1m]"
    compacted = read(path, b"\n".join([answer(**NEW), boundary(postTokens=584), *NOISE]))
    assert compacted
    assert (compacted.model, compacted.used, compacted.compacted) == ("claude-opus-5-5[1m]", 584, True)
    alone = read(path, boundary(postTokens=584))
    assert alone
    assert (alone.model, alone.used, alone.compacted) == ("", 584, True)


def test_without_an_answer_there_is_no_usage(tmp_path: Path) -> None:
    """An empty file, and one without an answer, have no usage."""
    for data in (b"", b"\n", b"\n\n", user(), b"\n".join(NOISE), b"\x00" * 1000):
        assert read(tmp_path / "t.jsonl", data) is None


def test_a_path_without_a_file_has_no_usage(tmp_path: Path) -> None:
    """A missing file, a folder, a pipe without a writer, a socket, a broken link and an empty path have no usage."""
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(tmp_path / "socket"))
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("none", ".", "pipe", "socket", "link", "none/t.jsonl", "a\0b", "x" * 5000):
        assert transcript.usage(f"{tmp_path}/{name}") is None
    for path in ("", "/dev/zero", "/dev/full", "\udcff"):
        assert transcript.usage(path) is None


UNREADABLE = """
import os
from holdfast.journal import transcript
print(transcript.usage("t.jsonl").used)
os.setuid(65534)
print(os.path.isfile("t.jsonl"), transcript.usage("t.jsonl"))
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_an_unreadable_file_has_no_usage(tmp_path: Path) -> None:
    """A file that this user must not read has no usage."""
    path = tmp_path / "t.jsonl"
    path.write_bytes(answer())
    path.chmod(0o600)
    tmp_path.chmod(0o755)
    environment = {"PYTHONPATH": str(ROOT / "plugin")}
    done = subprocess.run(
        [sys.executable, "-c", UNREADABLE], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("24153\nTrue None\n", "")


def test_a_link_is_followed(tmp_path: Path) -> None:
    """A transcript behind a link is read."""
    (tmp_path / "t.jsonl").write_bytes(answer())
    (tmp_path / "link").symlink_to(tmp_path / "t.jsonl")
    assert numbers(transcript.usage(str(tmp_path / "link"))) == LAST


@pytest.mark.parametrize("change", ["grows", "is cut short"])
def test_a_file_that_changes_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    """Text appended during the read is not used; a file that is cut during the read has no usage."""
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"\n".join([FIRST, answer(), user("x" * 100_000), b""]))
    whole, pread = path.read_bytes(), os.pread

    def meddling(handle: int, size: int, offset: int) -> bytes:
        path.write_bytes(whole + FIRST if change == "grows" else whole[: len(FIRST) + 50])
        return pread(handle, size, offset)

    monkeypatch.setattr(os, "pread", meddling)
    assert numbers(transcript.usage(str(path))) == (LAST if change == "grows" else None)


def test_the_beginning_of_a_long_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A transcript is read from the end to its last answer only, and at most 32 MB of it."""
    path, pread = tmp_path / "t.jsonl", os.pread
    asked: list[int] = []

    def counting(handle: int, size: int, offset: int) -> bytes:
        asked.append(size)
        return pread(handle, size, offset)

    monkeypatch.setattr(os, "pread", counting)
    with path.open("wb") as file:
        file.truncate(1 << 30)  # a hole of a gigabyte, which is one line
        file.seek(0, os.SEEK_END)
        file.write(b"\n" + answer() + b"\n" + user("x" * 100_000))
    assert numbers(transcript.usage(str(path))) == LAST
    assert sum(asked) < 300_000
    asked.clear()
    os.truncate(path, 1 << 30)
    assert transcript.usage(str(path)) is None
    assert sum(asked) == 1 << 25


LINES = st.lists(
    st.one_of(
        st.binary(max_size=40),
        st.integers(1, 999).map(answer),
        st.integers(1, 999).map(lambda fresh: answer(fresh, isSidechain=True)),
        st.integers(0, 9).map(lambda left: boundary(postTokens=left)),
        st.sampled_from(NOISE),
        st.integers(0, 900).map(lambda size: answer()[:size]),
    ),
    max_size=8,
)


@given(lines=LINES, block=st.integers(1, 2000), end=st.sampled_from([b"", b"\n", b"\r\n"]))
def test_reading_from_the_end_equals_reading_the_whole(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], block: int, end: bytes
) -> None:
    """For any file and block size, the result equals that of a reader of all lines."""
    path = tmp_path_factory.getbasetemp() / "property.jsonl"
    path.write_bytes(b"\n".join(lines) + end)
    found = transcript.usage(str(path), block)
    assert (found and (found.used, found.fresh, found.compacted)) == _whole(path.read_bytes())


def _whole(data: bytes) -> tuple[int, int, bool] | None:
    """Return the usage in all lines, read from the first to the last."""
    usage: tuple[int, int, bool] | None = None
    for line in data.split(b"\n"):
        try:
            value = json.loads(line.decode("utf-8", "replace"), strict=False)
        except ValueError:
            continue
        if not isinstance(value, dict) or value.get("isSidechain"):
            continue
        if value.get("subtype") == "compact_boundary":
            left = value["compactMetadata"]["postTokens"]
            usage = (left, 0, True) if left else None
        elif value.get("type") == "assistant":
            counts = value["message"]["usage"]
            parts = [counts[f"{part}input_tokens"] for part in ("", "cache_creation_", "cache_read_")]
            usage = (sum(parts), parts[0], False)
    return usage


def test_reading_costs_no_imports() -> None:
    """A hook may read a transcript at each prompt, so the module loads only os, sys, time and the JSON scanner."""

    def loaded(code: str) -> set[str]:
        done = subprocess.run(
            [PYTHON, "-X", "importtime", "-I", "-S", "-c", f"import os, sys, time; sys.path[:0] = {path}; {code}"],
            capture_output=True,
            check=True,
            text=True,
        )
        return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "|" in line}

    path = [str(ROOT / "plugin")]
    extra = loaded("from holdfast.journal import transcript") - loaded("pass")
    ours = {f"holdfast.{name}" for name in ("core", "core.fast_json", "core.files", "journal", "journal.transcript")}
    assert extra == {"_json", "holdfast", *ours}


def test_requests_are_read_line_by_line(tmp_path: Path) -> None:
    """What is in memory is a line and the counts, not the file; a line beyond all measure is passed over."""
    path = tmp_path / "t.jsonl"
    with path.open("w") as file:
        for number in range(200):
            usage = {"input_tokens": 1, "output_tokens": 2}
            message = {"id": f"m{number}", "usage": usage, "content": "x" * 100_000}
            file.write(json.dumps({"type": "assistant", "message": message}) + "\n")
        file.write('{"type": "assistant", "message": {"id": "last", "usage": {"input_tokens": 3}}}')
    tracemalloc.start()
    found = transcript.requests_of(str(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found) == 201
    assert peak < 2_000_000
    assert [len(line) for line in files.lines(str(path), 1000)] == [78]
