"""A state file made and read: complete for whoever takes over, and understood as it is written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import frontmatter
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdfast import clock, statefile, text
from holdfast.markdown import Document

if TYPE_CHECKING:
    from pathlib import Path

THEN = clock.read("2025-12-04T14:30:00Z")
LINES = st.text(st.characters() | st.sampled_from('"\\#*-`>:<&{[|%~=')).map(lambda given: text.line(given, 100))
BODIES = st.binary(max_size=60) | st.text("#-`<!> \n", max_size=60).map(str.encode)


def composed(title: str = "Fix it", request: str = "Please fix it", **given: str) -> bytes:
    """Return a new state file."""
    return statefile.compose(title, THEN, request=request, **{"branch": "main", "session": "s-1", **given})


def read(folder: Path, data: bytes) -> dict[str, object]:
    """Return the digest of a file with these bytes."""
    path = folder / "x.md"
    path.write_bytes(data)
    return statefile.digest(str(path))


@example('- `# a: *b* \\ " {c} <!-- --> #', "```", "x")
@example("<!-- holdfast:files -->", "<!-- /holdfast:files -->", "`")
@given(LINES, LINES, LINES.map(lambda line: line.replace(" ", "-")))
def test_a_new_file_has_all_that_the_format_requires(title: str, request_text: str, branch: str) -> None:
    """Whatever title and request, the file is complete, and its YAML gives the very title back."""
    data = composed(title, request_text, branch=branch)
    post = frontmatter.loads(data.decode())
    time = "2025-12-04T14:30:00Z"
    assert post["session"] == {"title": title, "status": "in_progress", "created": time, "last_updated": time}
    assert post["orchestration"] == {"current_task": title, "spawned_agents": []}
    document = Document(data)
    wanted = ["Context", "Current State", "Next Steps", "Execution Progress", "Files Modified", "Session Log"]
    assert [heading.title for heading in document.headings if heading.level == 2] == wanted
    assert all(document.section(title) for title in wanted)
    for name in ("tasks", "files"):
        span = document.block(name)
        assert span
        assert span[0] == span[1]
    assert statefile.with_blocks(data) == data


def test_a_new_file_tells_what_it_was_given() -> None:
    """Branch, request and session stand in the file for whoever takes over."""
    data = composed(branch="feat/`x`").decode()
    assert "on branch `` feat/`x` ``, with this request:\n\n> Please fix it\n" in data
    assert "Claude Code session `s-1` started this work." in data
    bare = composed(branch="", session="", request="").decode()
    assert "Started 2025-12-04 14:30 UTC.\n" in bare
    assert "Work started by hand." in bare


@given(LINES)
def test_a_name_is_sortable_and_plain(title: str) -> None:
    """Every title gives a name of the documented pattern, safe on every file system."""
    assert re.fullmatch(r"20251204-143000-[a-z0-9]+(-[a-z0-9]+)*\.md", statefile.name(title, THEN))


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Add weather fallback!", "add-weather-fallback"),
        ("Café Ünïté", "cafe-unite"),
        ("日本", "session"),
        ("", "session"),
    ],
)
def test_a_name_tells_the_title(title: str, slug: str) -> None:
    """The slug is the title's words; a title without any of them is a session."""
    assert statefile.name(title, THEN) == f"20251204-143000-{slug}.md"


def test_digests_what_was_composed(tmp_path: Path) -> None:
    """A new file is read back with its title, status, times, task and sections."""
    found = read(tmp_path, composed('A "b": c # d'))
    assert found["title"] == found["task"] == 'A "b": c # d'
    assert found["status"] == "in_progress"
    assert found["created"] == found["updated"] == THEN
    assert found["Next Steps"] == '- A "b": c # d'
    assert not {"problem"} & found.keys()


@pytest.mark.parametrize(
    ("session", "expected"),
    [
        pytest.param("title: x\n  created: 2025-12-04T14:30:00Z", {"created": THEN}, id="an unquoted time"),
        pytest.param("title: x\n  created: 2025-12-04", {"created": THEN - 52200}, id="an unquoted date"),
        pytest.param("title: x\n  created: 2025-99-99", {"created": 0.0}, id="an impossible date"),
        pytest.param("title: x\n  created: !!timestamp soon", {"created": 0.0}, id="a tag that does not fit"),
        pytest.param(
            "status: completed (pending cleanup) ✅", {"status": "completed (pending cleanup) ✅"}, id="prose"
        ),
        pytest.param("status: on\n  title: 16.10", {"status": "on", "title": "16.10"}, id="scalars as written"),
        pytest.param("status: [a, b]\n  title:", {"status": "['a', 'b']", "title": "T"}, id="a list, and nothing"),
        pytest.param("title: [x]\norchestration: [y]", {"title": "['x']", "task": ""}, id="a list for a mapping"),
        pytest.param("title: !!bool maybe", {"title": "maybe"}, id="a truth that is none"),
        pytest.param('title: "x"\n  status: "y"\n  ? [a]\n  : b', None, id="a list as a key"),
        pytest.param("title: x: y", None, id="a second colon"),
        pytest.param("title: 'x", None, id="an open quote"),
        pytest.param("title: *x", None, id="an alias of nothing"),
        pytest.param("title: x\n\tstatus: y", None, id="a tab"),
        pytest.param("title: x\x07", None, id="a control character"),
        pytest.param("other: x", None, id="neither title nor status"),
        pytest.param("&a [*a]", None, id="a list that holds itself"),
        pytest.param("{" * 3000, None, id="nested too deeply"),
    ],
)
def test_digests_odd_yaml(tmp_path: Path, session: str, expected: dict[str, object] | None) -> None:
    """Values are the text that stands there; what is no YAML, or no session, is a problem in words, never an error."""
    found = read(tmp_path, f"---\nsession:\n  {session}\n---\n# Session: T\n".encode())
    if expected is None:
        assert str(found["problem"]).startswith(("its frontmatter is not YAML: ", "it has no `session:` frontmatter"))
        assert "\n" not in str(found["problem"])
    else:
        assert found | expected == found


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"# T\n",
        b"---\nsession:\n  title: x\n# T\n",
        b"---\n- a\n---\n",
        b"---\nx\n---\n",
        b"---\n---\n",
        b"\xff\x00",
    ],
)
def test_digests_other_files_as_a_problem(tmp_path: Path, data: bytes) -> None:
    """A file without session frontmatter, closed and on top, is not a state file."""
    assert read(tmp_path, data) == {"problem": "it has no `session:` frontmatter with a title or status"}


@given(BODIES, st.text(max_size=30))
def test_digest_never_raises(tmp_path_factory: pytest.TempPathFactory, body: bytes, front: str) -> None:
    """Whatever the bytes, a digest is values or a problem."""
    folder = tmp_path_factory.getbasetemp()
    found = read(folder, b"---\nsession:\n  title: " + front.encode("utf-8", "surrogatepass") + b"\n---\n" + body)
    assert {"problem"} == found.keys() or {"title", "status", *statefile.REQUIRED} <= found.keys()


def test_a_byte_order_mark_hides_nothing(tmp_path: Path) -> None:
    """A file with a byte order mark and CRLF is read as it would be without."""
    data = composed()
    marked = read(tmp_path, b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"))
    body = marked.pop("body")
    assert isinstance(body, int)
    plain = read(tmp_path, data)
    del plain["body"]
    assert {
        key: value.replace("\r\n", "\n") if isinstance(value, str) else value for key, value in marked.items()
    } == plain
