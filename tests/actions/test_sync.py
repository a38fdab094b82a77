"""`holdfast sync` as Claude types it: each request is placed or refused, one write is staged, nothing else changes."""

from __future__ import annotations

import json
import re
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from tests.hazards import shapes
from tests.support import hooks
from tests.support.machine import snapshot

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project, Reply

prepared, here = hooks.prepared, hooks.here
N5, IDENT = shapes.N5[1], "con_7Qm2XvLt9RkAe4Wd"
NAME = ".agents/sessions/import.md"
WRITERS = 32
# As the workflow of these files has it: everything that a session has come to, in one object.
WISHES = {
    "Metadata": {"Focus": "Credit notes", "Mode": "worker"},
    "Progress": {"Overall": "60%", "Current Phase": "Parsing"},
    "Covered": ["Looked at the sample files", "Read the parser", "Asked Jan"],
    "Key Insights": ["Dates come in *two* orders"],
    "Decisions Made": ["UTF-8 only, $1 a line"],
}
SYNCED = shapes.swap(
    N5,
    ("Import the invoices of 2025", "Credit notes"),
    ("mode: standalone", "mode: worker"),
    ("**Mode:** standalone", "**Mode:** worker"),
    ("40%", "60%"),
    ("Reading the files", "Parsing"),
    ("sample files\n", "sample files\n- Read the parser\n- Asked Jan\n"),
    (
        "## Open",
        "## Key Insights\n- Dates come in *two* orders\n\n## Decisions Made\n- UTF-8 only, $1 a line\n\n## Open",
    ),
)
STAMP = re.compile(r"(?<=last_updated: )\S+")
FOCUS = json.dumps({"Metadata": {"Focus": "Credit notes"}})


def put(project: Project, text: str, name: str = NAME) -> Path:
    """Write a state file and commit all there is."""
    path = project.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    project.git("add", "--all")
    project.git("commit", "--quiet", "-m", "state")
    return path


def sync(project: Project, *arguments: str, stdin: bytes = b"", cwd: Path | None = None) -> Reply:
    """Run `holdfast sync` with something on standard input."""
    return project.fed(stdin, "sync", *arguments, cwd=cwd)


def unstamped(path: Path) -> str:
    """Return a file's text without the time of its last change, which must be a minute old at most."""
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    (stamped,) = STAMP.findall(text)
    assert time.strptime(stamped, "%Y-%m-%dT%H:%M:%S+00:00") >= time.gmtime(time.time() - 60)
    return STAMP.sub("2026-03-02T10:40:00+00:00", text)


def test_all_that_a_session_has_come_to(prepared: Project) -> None:
    """One object sets the fields and adds the items that are new, begins sections, and is staged."""
    path = put(prepared, N5)
    reply = sync(prepared, "--convo-id", IDENT, "--json", json.dumps(WISHES))
    assert (reply.code, reply.err) == (0, "")
    assert unstamped(path) == SYNCED
    reported = reply.out.splitlines()
    assert reported[0] == f"{NAME} updated:"
    assert '  Metadata.Focus, line 15: "Import the invoices of 2025" → "Credit notes"' in reported
    assert '  Covered, line 24: nothing → "Read the parser; Asked Jan"' in reported
    assert not [line for line in reported if "last updated" in line]
    assert prepared.staged() == [NAME]
    assert prepared.git("show", f":{NAME}") == path.read_text()
    assert prepared.log == []


@pytest.mark.parametrize("source", ["-", "@{}", "@../wishes.json", "text"])
def test_where_the_object_comes_from(prepared: Project, source: str) -> None:
    """It is given itself, in a file, or on standard input, with or without a byte order mark."""
    path = put(prepared, N5)
    text = json.dumps(WISHES)
    wishes = prepared.folder / "wishes.json"
    wishes.write_text("\ufeff" + text)
    given = text if source == "text" else source.format(wishes)
    reply = sync(prepared, "--convo-id", IDENT, "--json", given, stdin=wishes.read_bytes())
    assert (reply.code, reply.err) == (0, "")
    assert unstamped(path) == SYNCED


@pytest.mark.parametrize(
    ("source", "data", "reported"),
    [
        pytest.param('{"Focus": ', b"", ["--json", "not JSON", '{"Current State"'], id="half an object"),
        pytest.param("", b"", ["--json", "not JSON"], id="nothing"),
        pytest.param("{'Focus': 'x'}", b"", ["--json", "not JSON"], id="other quotes"),
        pytest.param('{"Focus": 1' + "0" * 5000 + "}", b"", ["--json", "not JSON"], id="too large a number"),
        pytest.param("[" * 90_000, b"", ["--json", "not JSON"], id="too deep a list"),
        pytest.param('["Focus"]', b"", ["--json", "not a JSON object", '{"Current State"'], id="an array"),
        pytest.param('"Focus"', b"", ["--json", "not a JSON object"], id="a text"),
        pytest.param("null", b"", ["--json", "not a JSON object"], id="null"),
        pytest.param("-", b"", ["standard input", "not JSON"], id="nothing on standard input"),
        pytest.param("-", b"[1]", ["standard input", "not a JSON object"], id="an array on standard input"),
        pytest.param("-", b'{"Focus": "caf\xe9"}', ["standard input", "not UTF-8"], id="Latin-1 on standard input"),
        pytest.param("@gone.json", b"", ["gone.json", "No such file"], id="no such file"),
        pytest.param("@", b"", ["--json", "No such file"], id="a file without a name"),
        pytest.param("@.agents", b"", [".agents", "Is a directory"], id="a folder"),
        pytest.param("@.agents/latin.json", b"", [".agents/latin.json", "not UTF-8"], id="a file in Latin-1"),
    ],
)
def test_what_is_no_object(prepared: Project, source: str, data: bytes, reported: list[str]) -> None:
    """Exit code 1, one line that names the source, what is wrong with it and what to give; nothing is written."""
    (prepared.root / ".agents/latin.json").write_bytes(b'{"Focus": "caf\xe9"}')
    put(prepared, N5)
    before = snapshot(prepared.root)
    reply = sync(prepared, "--json", source, stdin=data)
    assert (reply.code, reply.out) == (1, "")
    assert reply.err.startswith("holdfast: ")
    assert reply.err.count("\n") == 1
    assert [word for word in reported if word not in reply.err] == []
    assert snapshot(prepared.root) == before


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(N5, id="as usual"),
        pytest.param(N5.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(N5.replace("\n", "\r"), id="CR"),
        pytest.param("\ufeff" + N5, id="a byte order mark"),
        pytest.param(N5.rstrip("\n"), id="no final newline"),
        pytest.param(shapes.swap(N5, ("the invoices of", "the invoic\udce9 of")), id="bytes that are not UTF-8"),
        pytest.param(
            shapes.swap(N5, ("sample files", "sample\u2028files\x0c,\x85\x1cmost")), id="what Python takes for ends"
        ),
    ],
)
@pytest.mark.parametrize("name", [NAME, ".agents/sessions/über Land.md"])
def test_a_dry_run_is_a_patch(prepared: Project, text: str, name: str) -> None:
    """It prints what `git apply` takes, and makes what sync itself makes; nothing is written by it."""
    path = put(prepared, text, name)
    command = ("--json", json.dumps({**WISHES, "Tags": "#rates"}))
    before = path.stat().st_mtime_ns, prepared.git("status", "--porcelain")
    reply = sync(prepared, *command, "--dry-run")
    assert (reply.code, reply.err) == (0, "")
    assert path.read_bytes() == text.encode("utf-8", "surrogateescape")
    assert (path.stat().st_mtime_ns, prepared.git("status", "--porcelain")) == before
    (prepared.folder / "patch").write_bytes(reply.out.encode("utf-8", "surrogateescape"))
    prepared.git("apply", "../patch")
    patched = unstamped(path)
    prepared.git("checkout", "--quiet", name)
    assert sync(prepared, *command).code == 0
    assert unstamped(path) == patched


def test_a_dry_run_of_nothing_is_nothing(prepared: Project) -> None:
    """Where all is there already there is no patch; what could not be placed is reported as by sync itself."""
    put(prepared, N5)
    assert sync(prepared, "--json", '{"Metadata": {"Mode": "standalone"}}', "--dry-run") == (0, "", "")
    reply = sync(prepared, "--json", '{"Weather": ["Rain"]}', "--dry-run")
    assert (reply.code, reply.out) == (1, "")
    assert "not placed: Weather: " in reply.err


def test_what_has_no_place_is_reported(prepared: Project) -> None:
    """Unknown keys, empty values and lists in lists: exit code 1, each named; the rest is done."""
    path = put(prepared, N5)
    wrong = {"Weather": ["Rain"], "Wind": {"From": "north"}, "Topics": None, "Tags": {}, "Open Questions": [["Why?"]]}
    reply = sync(prepared, "--json", json.dumps({**wrong, **WISHES, "\x1b[31m\nRed": "x", "half \ud83d": "x"}))
    assert reply.code == 1
    assert unstamped(path) == SYNCED
    reported = [line.removeprefix("holdfast: not placed: ").partition(": ")[0] for line in reply.err.splitlines()]
    assert reported == ["Weather", "Wind.From", "Topics", "Tags", "Open Questions", "Open Questions.0", "Red", "half ?"]
    assert "\x1b" not in reply.err
    again = sync(prepared, "--json", json.dumps(wrong))
    assert (again.code, again.out, again.err.splitlines()) == (1, f"{NAME} is unchanged.\n", reply.err.splitlines()[:6])


def test_what_stands_there_already(prepared: Project) -> None:
    """The second time nothing is written: not the file, not its time, nothing into the index."""
    path = put(prepared, N5)
    assert sync(prepared, "--json", json.dumps(WISHES)).code == 0
    prepared.git("commit", "--quiet", "-m", "synced")
    before = path.stat()
    reply = sync(prepared, "--json", json.dumps(WISHES))
    assert reply == (0, f"{NAME} says all of this already; nothing was written.\n", "")
    after = path.stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)
    assert prepared.git("status", "--porcelain") == ""


def test_which_file_is_meant(prepared: Project) -> None:
    """An id, a part of one, a name or a path; where it could be two, they are a numbered list."""
    other = IDENT[:8] + "Ym2"
    first = put(prepared, N5)
    second = put(prepared, shapes.swap(N5, (IDENT, other)), ".agents/sessions/rates.md")
    for asked, lines, reported in (
        (IDENT[:8], 4, ["may mean 2 sessions:", "  1  import", "  2  rates"]),
        ("con_nobody", 1, ["no session here has 'con_nobody' in its id or title", "holdfast list --all"]),
        ("../../etc/passwd", 1, ["no session here has"]),
    ):
        reply = sync(prepared, asked, "--json", FOCUS)
        assert (reply.code, reply.out, reply.err.count("\n")) == (1, "", lines)
        assert [word for word in reported if word not in reply.err] == []
    assert {first.read_text(), second.read_text()} == {N5, shapes.swap(N5, (IDENT, other))}
    for number, asked in enumerate((other, other[:9], "rates", "rates.md", ".agents/sessions/rates.md", str(second))):
        focus = f"Focus {number}"
        assert sync(prepared, asked, "--json", json.dumps({"Metadata": {"Focus": focus}})).code == 0
        assert f"**Focus:** {focus}\n" in second.read_text()
    assert first.read_text() == N5


@pytest.mark.parametrize(("session", "noted"), [("one", 1), ("two", 0), (None, 0)])
def test_a_sync_is_noted_for_the_session_that_owns_the_file(prepared: Project, session: str | None, noted: int) -> None:
    """What another session or a person writes into the file is no work of its session."""
    path = put(prepared, N5)
    prepared.edit(str(path), "one")
    prepared.edit("a.py", "two")
    request = json.dumps({"Covered": ["Read the parser"]})
    reply = prepared.cli("sync", NAME, "--json", request, CLAUDE_CODE_SESSION_ID=session)
    assert (reply.code, reply.err) == (0, "")
    facts = [fact for ident in ("one", "two") for fact in prepared.facts(ident, "state")]
    assert [fact["path"] for fact in facts if fact["by"] == "sync"] == [NAME] * noted


def _conflict(path: Path) -> str:
    path.write_text(shapes.swap(N5, ("- Looked", "<<<<<<< HEAD\n- Looked"), ("## Open", "=======\n>>>>>>> a\n## Open")))
    return "line 23: a merge left conflict markers"


def _link(path: Path) -> str:
    path.rename(path.parents[2] / "target.md")
    path.symlink_to(path.parents[2] / "target.md")
    return "link"


def _folder(path: Path) -> str:
    path.parent.rename(path.parents[3] / "elsewhere")
    path.parent.symlink_to(path.parents[3] / "elsewhere")
    return "no session here has"


def _shape(path: Path) -> str:
    path.write_text("# Rates\n\n## Covered\n- Dollars\n")
    return "shape"


@pytest.mark.parametrize("make", [_conflict, _link, _folder, _shape])
def test_what_is_not_written_to(prepared: Project, make: Any) -> None:
    """A conflict, a link, a folder elsewhere, an unknown shape: refused with exit code 1, and untouched."""
    path = put(prepared, N5)
    reported = make(path)
    before = snapshot(prepared.folder)
    reply = sync(prepared, "--convo-id", NAME, "--json", FOCUS)
    assert (reply.code, reply.out) == (1, "")
    assert reported in reply.err
    after = snapshot(prepared.folder)
    assert {name: after.get(name) for name in before if ".git" not in name} == {
        name: state for name, state in before.items() if ".git" not in name
    }


@pytest.mark.parametrize(
    ("stamped", "form"),
    [
        ("2026-03-02T10:40:00Z", r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"),
        ('"2026-03-02T10:40:00Z"', r'"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"'),
        ("'2026-03-02T10:40:00.120Z'  # by hand", r"'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z'  # by hand"),
        ("2026-03-02T10:40:00+05:30", r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+05:30"),
        ("2026-03-02 10:40 UTC", r"\d{4}-\d\d-\d\d \d\d:\d\d UTC"),
        ("2026-03-02", r"\d{4}-\d\d-\d\d"),
    ],
)
def test_the_time_of_the_last_change(prepared: Project, stamped: str, form: str) -> None:
    """It moves on in the form that it had."""
    path = put(prepared, N5.replace("2026-03-02T10:40:00+00:00", stamped))
    assert sync(prepared, "--json", FOCUS).code == 0
    (line,) = re.findall("^last_updated: (.*)$", path.read_text(), re.MULTILINE)
    assert re.fullmatch(form, line)
    assert line != stamped


@pytest.mark.parametrize("stamped", ["last Tuesday", "2026-03-02 10:40", "2999-01-01T00:00:00Z", "TBD", ""])
def test_a_time_that_is_left_alone(prepared: Project, stamped: str) -> None:
    """What is no exact time, and what is to come, stays as a person wrote it."""
    path = put(prepared, N5.replace("2026-03-02T10:40:00+00:00", stamped))
    assert sync(prepared, "--json", FOCUS).code == 0
    assert path.read_text() == N5.replace("2026-03-02T10:40:00+00:00", stamped).replace(
        "Import the invoices of 2025", "Credit notes"
    )


def test_json_for_programs(prepared: Project) -> None:
    """`--format json` tells each change with its place, and each key that has none."""
    put(prepared, N5)
    wishes = json.dumps({"Metadata": {"Focus": "Credit notes"}, "Weather": ["Rain"]})
    for more, written in (("--dry-run", False), ("--json", True)):
        reply = sync(prepared, "--format", "json", "--json", wishes, *([more] if more == "--dry-run" else []))
        assert reply.code == 1
        assert reply.json["path"] == NAME
        assert reply.json["written"] is written
        focus, stamp = reply.json["changes"]
        assert focus == {
            "where": "Metadata.Focus",
            "line": 15,
            "old": "Import the invoices of 2025",
            "new": "Credit notes",
        }
        assert stamp["where"] == "last updated"
        assert [unplaced["key"] for unplaced in reply.json["unplaced"]] == ["Weather"]


def test_a_place_that_was_not_prepared(here: Project) -> None:
    """In git it works without `holdfast init`; outside of it the reply says to type that first."""
    path = put(here, N5)
    assert sync(here, "--json", FOCUS).code == 0
    assert "Credit notes" in path.read_text()
    outside = here.folder / "outside/.agents/sessions"
    outside.mkdir(parents=True)
    (outside / "import.md").write_text(N5)
    reply = sync(here, "--json", FOCUS, cwd=here.folder / "outside")
    assert (reply.code, (outside / "import.md").read_text()) == (1, N5)
    assert "holdfast init" in reply.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "wish", "line"),
    [
        pytest.param(N5, '{{"Covered": ["Item {0}"]}}', "- Item {0}", id="an item each"),
        pytest.param(
            shapes.swap(
                N5, ("- **Mode:**", "".join(f"- **Field {at}:** old\n" for at in range(WRITERS)) + "- **Mode:**")
            ),
            '{{"Metadata": {{"Field {0}": "new {0}"}}}}',
            "- **Field {0}:** new {0}",
            id="a field each",
        ),
    ],
)
def test_many_at_once_lose_nothing(prepared: Project, text: str, wish: str, line: str) -> None:
    """32 processes that sync one file at the same time: all that they were given is there, once."""
    path = put(prepared, text)
    with ThreadPoolExecutor(WRITERS) as pool:
        runs = [pool.submit(sync, prepared, "--json", wish.format(at)) for at in range(WRITERS)]
    assert {(run.result().code, run.result().err) for run in runs} == {(0, "")}
    lines = path.read_text().splitlines()
    assert [at for at in range(WRITERS) if lines.count(line.format(at)) != 1] == []
    assert len(lines) == len(text.splitlines()) + (WRITERS if "Item" in wish else 0)
    assert prepared.git("diff", "--name-only") == ""


def _agents(*pairs: tuple[str, str]) -> str:
    return shapes.swap(shapes.AGENTS[1], *pairs)


_COMMENTED = _agents(
    ("  status: in_progress\n", "  # by hand\n  status: in_progress  # until Mara is back\n"),
    ("## Context\n", "<!-- for Jan -->\n## Context\n<!-- why -->\n"),
    ("- Try", "<!-- newest last -->\n- Try"),
)
_BREAKS = _agents(("fills up every month.\n", "fills up  \nevery month.\\\nAnd *week*.  \n"), ("5 GB\n", "5 GB  \n"))
KEPT = {
    "as usual": shapes.AGENTS[1],
    "CRLF": shapes.AGENTS[1].replace("\n", "\r\n"),
    "CR": shapes.AGENTS[1].replace("\n", "\r"),
    "a byte order mark": "\ufeff" + shapes.AGENTS[1],
    "no final newline": shapes.AGENTS[1].rstrip("\n"),
    "blank lines at the end": shapes.AGENTS[1] + "\n \n\n",
    "hard breaks": _BREAKS,
    "comments": _COMMENTED,
    "comments, CRLF, a byte order mark": "\ufeff" + _COMMENTED.replace("\n", "\r\n"),
    "bytes that are not UTF-8": _agents(("Read the exporter.", "Read the caf\udce9.")),
    "what Python takes for ends": _agents(("Read the exporter.", "Read\u2028the\x0cexporter\x85.")),
}
READING = (["list"], ["list", "--all"], ["status", NAME], ["show", NAME], ["audit"], ["handoff"], ["brief"])
WRITING = (
    ["sync", "--json", '{"Next Steps": ["Try one of 9 GB"]}'],
    *(["settle"], ["pause", NAME], ["continue", NAME], ["close", NAME]),
)
LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
CHANGED = re.compile(r"  (?:status|last_updated): ")  # how the lines begin that these commands change


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in KEPT.items()])
def test_what_every_command_leaves_as_it_is(prepared: Project, text: str) -> None:
    """Reading touches nothing; writing keeps each line that it does not name, with its end, and the mode bits."""
    path = put(prepared, text)
    path.chmod(0o640)
    state = {"kind": "state", "path": NAME, "root": str(prepared.root), "by": "edit"}
    prepared.remember("one", {"kind": "start", "root": str(prepared.root)}, state, {"kind": "edit", "path": "a.py"})
    before = snapshot(prepared.root / ".agents")
    for command in READING:
        reply = prepared.cli(*command)
        assert reply.code in {0, 1, 2}, reply.err
        assert "fault" not in reply.err
        assert snapshot(prepared.root / ".agents") == before, command
    for command in WRITING:
        old = path.read_bytes().decode("utf-8", "surrogateescape")
        reply = prepared.cli(*command)
        assert reply.code == 0, command
        assert [line for line in reply.err.splitlines() if "not UTF-8" not in line] == [], command
        new = path.read_bytes().decode("utf-8", "surrogateescape")
        assert new != old, command
        assert _kept(old, new) == [], command
        assert set(re.findall("\r\n|\r|\n", new)) == set(re.findall("\r\n|\r|\n", text))
        assert new.endswith(("\r", "\n")) is text.endswith(("\r", "\n"))
        assert new.startswith("\ufeff") is text.startswith("\ufeff")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert prepared.log == []


def _kept(old: str, new: str) -> list[str]:
    """Return the lines that are no longer there in their order, of those that no command may change."""
    lines = [line for line in LINE.findall(old) if not CHANGED.match(line)]
    rest = iter(LINE.findall(new))
    return [line for line in lines if not any(_same(line, other) for other in rest)]


def _same(line: str, other: str) -> bool:
    """Whether a line is still there; the last one of a file may get an end, for an entry that comes after it."""
    return other == line or (not line.endswith(("\r", "\n")) and other.rstrip("\r\n") == line)


def test_holdfasts_own_words_are_reported_as_what_was_replaced(prepared: Project) -> None:
    """The second time the text is the user's."""
    prepared.fire("SessionStart")
    prepared.edit("a.txt")
    prepared.fire("Stop", last_assistant_message="Half of it is done.")
    prepared.rested()
    reply = sync(prepared, "--json", '{"Current State": "It parses.", "Next Steps": ["Print", "Send"]}', "one")
    assert re.search(r'Current State, line \d+: "> Half of it is done\..*" → "It', reply.out)
    assert re.search(r'Next Steps, line \d+: "- Not known; see Current State\." → "Print; Send"', reply.out)
    reply = sync(prepared, "--json", '{"Current State": "It prints."}', "one")
    assert re.search(r'Current State, line \d+: "It parses\." → "It prints\."', reply.out)
