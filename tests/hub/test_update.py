"""`holdfast update` as agents call it: the answer, the hub, what is beside it, and all that must not move."""

from __future__ import annotations

import difflib
import json
import re
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.cache import Cache
from holdfast.formats import catalogue
from holdfast.hub import update as making
from holdfast.hub.document import NEW, Hub
from holdfast.hub.transaction import Transaction
from holdfast.hub.update import read_request
from holdfast.journal import log as journal
from tests.support import hooks, hubs
from tests.support.machine import snapshot
from tests.support.updates import (
    ACTIVE,
    EXAMPLE,
    HISTORY,
    NAME,
    TIME,
    answer,
    entries,
    entry,
    put,
    read,
    refused,
    timeless,
    update,
)

if TYPE_CHECKING:
    from tests.support.hooks import Project, Reply

here, prepared = hooks.here, hooks.prepared
BEGIN = ("action=started", "agent=implementor", "session_id=abc123", "purpose=Implement feature X")
UUID = "0f8fad5b-d9cb-469f-a165-70867728950e"
STATUSES = {
    "started": "active",
    "in_progress": "active",
    "waiting": "waiting",
    "paused": "paused",
    "completed": "completed",
}
# The three examples of the document's Input Parameters, and the three of its Usage Pattern, as they are in it.
INPUTS = (
    'action=started agent=implementor session_id=abc123 purpose="Implement feature X" branch=feat/x',
    'action=in_progress agent=implementor session_id=abc123 context="files_modified:[src/x.ts,src/y.ts]"',
    'action=completed agent=implementor session_id=abc123 context="files_modified:[src/x.ts] tests_pass:true"',
)
RUN = "npx automagik-genie run session-state-updater"
BASE = "agent=implementor session_id=$SESSION_ID"
CORE, REPORT = "src/core.ts,src/utils.ts", "done_report:.genie/wishes/feat-x/reports/done-implementor.md"
USAGE = (
    rf'{RUN} "action=started {BASE} purpose=Implement\ Feature\ X branch=feat/x"',
    rf'{RUN} "action=in_progress {BASE} context=\"files_modified:[{CORE}] tests_pass:false\""',
    rf'{RUN} "action=completed {BASE} context=\"files_modified:[{CORE},test/core.test.ts] tests_pass:true {REPORT}\""',
)
WRITTEN = f"""\
{HISTORY}

### Implementor - Implement feature X

**Session ID:** `abc123`
**Started:** NOW
**Last Updated:** NOW
**Completed:** NOW
**Status:** completed
**Agent:** implementor
**Branch:** feat/x
**Purpose:** Implement feature X
**Context:**

- files_modified: src/x.ts, src/y.ts
- tests_pass: true

**Next:** [to be filled]
"""


def shell(project: Project, line: str, **variables: str) -> Reply:
    """Run a line as a person's shell does, with the command on PATH."""
    return project.typed(line, **variables)


def valid(project: Project) -> None:
    """See to it that the hub is what `holdfast validate` calls valid."""
    reply = project.cli("validate")
    assert (reply.code, reply.err, reply.out[:1]) == (0, "", "✓"), reply.out


def moved(before: str, after: str) -> tuple[list[str], list[str]]:
    """Return the lines that went and those that came, each with its end."""
    reported = list(difflib.ndiff(before.splitlines(keepends=True), timeless(after).splitlines(keepends=True)))
    return [line[2:] for line in reported if line[0] == "-"], [line[2:] for line in reported if line[0] == "+"]


# --- the Verification Phase of the document, checkbox by checkbox ---


@pytest.mark.parametrize("action", STATUSES)
def test_the_hub_is_valid_markdown(prepared: Project, action: str) -> None:
    """SESSION-STATE.md is valid markdown: after each action `holdfast validate` finds nothing, one section of each."""
    update(prepared, *BEGIN)
    update(prepared, f"action={action}", "session_id=abc123", "context=files:[a,b] phase:two and so on")
    valid(prepared)
    text = read(prepared)
    assert [line for line in text.splitlines() if line.startswith("## ")] == [ACTIVE, HISTORY]
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_an_entry_is_created_and_updated(prepared: Project) -> None:
    """Session entry created/updated correctly: the fields in the order of the document, and what is given changes."""
    update(prepared, *BEGIN, "branch=feat/x", "context=ticket:90")
    first = entry(prepared, "abc123")
    assert first.title == "Implementor - Implement feature X"
    order = ["Session ID", "Started", "Last Updated", "Status", "Agent", "Branch", "Purpose", "Context", "Next"]
    assert list(first.fields) == order
    assert first.fields["Agent"] == "implementor"
    assert (first.fields["Purpose"], first.fields["Next"]) == ("Implement feature X", "[to be filled]")
    assert (first.context, first.past) == (["ticket: 90"], False)
    update(prepared, "action=in_progress", "agent=tests", "session_id=abc123", "branch=feat/y", "context=it works")
    second = entry(prepared, "abc123")
    reported = {"Agent": "tests", "Branch": "feat/y", "Context": "ticket: 90; it works", "Last Updated": "x"}
    assert {**second.fields, "Last Updated": "x"} == {**first.fields, **reported}
    assert second.fields["Started"] == first.fields["Started"]


def test_links_are_bidirectional(prepared: Project) -> None:
    """Parent-child relationships are bidirectional: both ends are there after one update, and stay when repeated."""
    update(prepared, "action=started", "agent=genie", "session_id=par-1", "purpose=Lead, or not (maybe)")
    for _ in range(2):
        update(prepared, *BEGIN, "parent_session=par-1")
        update(prepared, "action=started", "agent=tests", "session_id=kid-2", "purpose=Check", "parent_session=par-1")
    found = entries(read(prepared))
    assert found["abc123"].fields["Parent"] == found["kid-2"].fields["Parent"] == "Genie (par-1)"
    assert found["par-1"].fields["Children"] == "Implementor (abc123), Tests (kid-2)"
    valid(prepared)


@pytest.mark.parametrize("action", STATUSES)
def test_times_are_to_the_minute_and_in_utc(prepared: Project, action: str) -> None:
    """Timestamps are YYYY-MM-DD HH:MM UTC, whatever the zone of the machine, in the hub and in the answer."""
    before = time.time()
    update(prepared, *BEGIN, TZ="Asia/Tokyo")
    reported = update(prepared, f"action={action}", "session_id=abc123", TZ="Asia/Tokyo")
    fields = entry(prepared, "abc123").fields
    times = [reported["timestamp"], fields["Started"], fields["Last Updated"]]
    times += [fields["Completed"]] if action == "completed" else []
    minutes = {time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(at)) for at in (before, time.time())}
    assert set(times) <= minutes
    assert all(re.fullmatch(TIME, each) for each in times)
    assert ("Completed" in fields) == (action == "completed")


def test_no_session_has_two_entries(prepared: Project) -> None:
    """No duplicate session IDs: a session that is named often and in any order has one entry."""
    for action in [*STATUSES, "started", "completed", "paused"]:
        update(prepared, f"action={action}", *BEGIN[1:])
        assert read(prepared).count("`abc123`") == 1
        assert entry(prepared, "abc123").fields["Status"] == STATUSES[action]
    valid(prepared)


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(("action", "status"), STATUSES.items())
def test_the_entry_matches_the_action(prepared: Project, action: str, status: str, *, known: bool) -> None:
    """Entry matches requested action: status and section, for a known session and for one that begins with it."""
    if known:
        update(prepared, *BEGIN)
    reported = update(prepared, f"action={action}", *BEGIN[1:], "context=waits for the review of Jan")
    found = entry(prepared, "abc123")
    assert (found.fields["Status"], found.past) == (status, action == "completed")
    assert found.context == ["waits for the review of Jan"]
    assert reported["action"] == (action if action in {"started", "completed"} else "updated")


# --- the document's own examples ---


def test_usage_examples_run_as_printed(prepared: Project) -> None:
    """The lines of the document's Usage Pattern run in a shell as printed, the program's name apart."""
    for number, (line, action) in enumerate(zip(USAGE, ("started", "updated", "completed"), strict=True)):
        command = line.replace(RUN, "holdfast update")
        reported = answer(shell(prepared, command, SESSION_ID=UUID))
        assert (reported["action"], reported["session_id"], reported["agent"]) == (action, UUID, "implementor")
        found = entry(prepared, UUID)
        assert (found.title, found.fields["Branch"]) == ("Implementor - Implement Feature X", "feat/x")
        assert found.past == (number == 2)
    assert found.context == [
        "files_modified: src/core.ts, src/utils.ts, test/core.test.ts",
        "tests_pass: false",
        "tests_pass: true",
        "done_report: .genie/wishes/feat-x/reports/done-implementor.md",
    ]
    valid(prepared)


@pytest.mark.parametrize("line", USAGE)
def test_a_shell_without_the_session_id_changes_nothing(prepared: Project, line: str) -> None:
    """Where $SESSION_ID is not set the answer says that session_id is missing, and no hub is made."""
    reported = answer(shell(prepared, line.replace(RUN, "holdfast update")))
    assert reported["error"] == "session_id is missing"
    assert not (prepared.root / NAME).exists()


@pytest.mark.parametrize("whole", [False, True])
def test_input_examples_apart_and_in_one_string(prepared: Project, *, whole: bool) -> None:
    """The examples of Input Parameters mean the same as arguments of their own and as one quoted string."""
    for line in INPUTS:
        answer(shell(prepared, f"holdfast update '{line}'" if whole else f"holdfast update {line}"))
    assert timeless(read(prepared)).endswith(f"{ACTIVE}\n\n{WRITTEN}")


@pytest.mark.parametrize(
    ("stated", "meant"),
    [
        ("purpose=Fix the parser", "Fix the parser"),
        ("purpose='Fix the parser'", "Fix the parser"),
        (r"purpose=Fix\ the\ parser", "Fix the parser"),
        (r"purpose=Set\ agent=git\ there", "Set agent=git there"),
        ('purpose="Set agent=git and action=paused"', "Set agent=git and action=paused"),
        (r'purpose="say \"hi\" twice"', 'say "hi" twice'),
        ('purpose=say "hi" twice', 'say "hi" twice'),
        ("purpose=don't stop", "don't stop"),
        (r"purpose=match \d+ in C:\temp", r"match \d+ in C:\temp"),
        (r'purpose="match \d+ in C:\\temp"', r"match \d+ in C:\temp"),
        ("purpose=line one\n  line\ttwo", "line one line two"),
        ("purpose=a==b", "a==b"),
    ],
)
@pytest.mark.parametrize("rest", ["", " branch=b"])
def test_values_in_one_string(prepared: Project, stated: str, meant: str, rest: str) -> None:
    """In one string a value is quoted, escaped, or goes on to the next key; a backslash before a letter is one."""
    reported = update(prepared, f"action=started agent=git session_id=s {stated}{rest}")
    assert reported["session_id"] == "s"
    fields = entry(prepared, "s").fields
    assert re.sub(r"\\(?=[*_`])", "", fields["Purpose"]) == meant
    assert fields.get("Branch", "") == rest[8:]


@pytest.mark.parametrize("value", [r"C:\temp\new", '"quoted"', "it's", "a  b", "x=1 y=2"])
def test_values_apart_are_taken_as_they_are(prepared: Project, value: str) -> None:
    """Of an argument of its own the shell has taken the quotes already; blanks are one blank."""
    update(prepared, "action=started", "agent=git", "session_id=s", f"purpose={value}")
    assert entry(prepared, "s").fields["Purpose"] == " ".join(value.split())


# --- the answer ---


def test_the_answer_to_what_was_done(prepared: Project) -> None:
    """The document's keys in its order, the file that changed, and nothing else on either output."""
    reported = update(prepared, *BEGIN)
    assert {**reported, "timestamp": "T"} == {
        "status": "success",
        "action": "started",
        "session_id": "abc123",
        "agent": "implementor",
        "updated_files": ["SESSION-STATE.md"],
        "timestamp": "T",
        "message": "Session state updated successfully",
    }
    again = update(prepared, *BEGIN)
    assert (again["updated_files"], again["agent"]) == ([], "implementor")
    assert update(prepared, "action=waiting", "session_id=abc123")["agent"] == "implementor"


VALUES: dict[str, list[str | None]] = {
    "action": [None, "", "start", "STARTEDLY", "active", "updated"],
    "agent": [None, "reviewer", "Implementor", "../x"],
    "session_id": [None, "", "   ", "../../x", "a b", "ä", "x" * 129, "a/b", "$(id)"],
    "parent_session": ["../x", "a b", "abc123"],
}
WORDS = {
    "action": ["action", "started, in_progress, completed, waiting, paused", "holdfast update"],
    "agent": ["agent", ""],
    "session_id": ["session_id"],
    "parent_session": ["", ""],
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in VALUES.items() for value in values])
@pytest.mark.parametrize("whole", [False, True])
def test_what_cannot_be_meant_is_refused(prepared: Project, key: str, value: str | None, *, whole: bool) -> None:
    """A value that is missing, unknown or no id: failed, the parameter is named with what it may be; no hub is made."""
    pairs = [pair for pair in BEGIN if not pair.startswith(f"{key}=")]
    pairs += [] if value is None else [f"{key}={value}"]
    reported = refused(prepared, " ".join(pairs)) if whole else refused(prepared, *pairs)
    named = key if value != "nobody" else "nobody"
    assert named in reported
    assert [word for word in WORDS[key] if word not in reported] == []
    assert not (prepared.root / NAME).exists()
    assert prepared.staged() == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["action is missing"]),
        ([""], ["action is missing"]),
        (["nonsense"], ["'nonsense' is not KEY=VALUE"]),
        ([" ".join(BEGIN[:3]) + ' purpose="X" more'], ["'more' is not KEY=VALUE"]),
        ([*BEGIN, "colour=red"], ["'colour'", "parent_session"]),
        ([" ".join(BEGIN) + " colour=red"], ["'colour'", "parent_session"]),
        ([*BEGIN, "action=paused"], ["action is given twice"]),
        ([" ".join(BEGIN) + " action=started"], ["action is given twice"]),
        (["=x", *BEGIN], ["'=x' is not KEY=VALUE"]),
    ],
)
def test_what_is_no_parameter_is_refused(prepared: Project, arguments: list[str], words: list[str]) -> None:
    """What is not KEY=VALUE, not known or given twice is named, and nothing is done."""
    reported = refused(prepared, *arguments)
    assert [word for word in words if word not in reported] == []
    assert not (prepared.root / NAME).exists()


def test_a_cycle_of_parents_is_refused(prepared: Project) -> None:
    """Nobody becomes a child of its own child or grandchild, and nothing of such an update is written."""
    update(prepared, *BEGIN)
    for child, parent in (("b", "abc123"), ("c", "b")):
        update(prepared, "action=started", "agent=git", f"session_id={child}", f"parent_session={parent}")
    before = snapshot(prepared.root / ".agents")
    for parent in ("b", "c"):
        assert "abc123" in refused(prepared, *BEGIN[:3], "purpose=Other", f"parent_session={parent}")
    assert snapshot(prepared.root / ".agents") == before


@pytest.mark.parametrize("way", ["settings", "environment"])
def test_more_agents_are_named_in_the_settings(prepared: Project, way: str) -> None:
    """The document's list of agents grows by `agents` in the settings, or by HOLDFAST_AGENTS."""
    line = "action=started agent=code-reviewer session_id=s purpose=Look"
    assert "agents" in refused(prepared, line)
    if way == "settings":
        (prepared.root / ".agents/holdfast.toml").write_text('agents = ["code-reviewer"]\n')
    reported = update(prepared, line, HOLDFAST_AGENTS="code-reviewer" if way == "environment" else None)
    assert reported["agent"] == "code-reviewer"
    assert entry(prepared, "s").title == "Code-reviewer - Look"


@pytest.mark.parametrize("agent", ["implementor", "tests", "git", "genie", "learn", "release", "roadmap"])
def test_the_agents_of_the_document(prepared: Project, agent: str) -> None:
    """Each agent that the document lists is known without any setting, and gives the heading its name."""
    update(prepared, f"action=started agent={agent} session_id=s purpose=Work")
    assert entry(prepared, "s").title == f"{agent.capitalize()} - Work"


# --- values are data ---


@pytest.mark.parametrize(
    "value",
    [
        "'; touch X; '",
        "$(touch X)",
        "`touch X`",
        '"; touch X; "',
        "one\n\n### Git - two\n**Session ID:** `abc123`\nthree",
        "**Status:** done",
        "### heading",
        "# heading #",
        "```",
        "~~~",
        "| a | b |",
        "--- and ===",
        "<!-- gone",
        "<div>",
        "costs $25, or \\1, or \\g<0>",
        "ends in \\",
        "🚀 ﬁnally — «ça marche»",
        "- [ ] a\r\n- [x] b",
        "\x1b[31mred\x07 \u202eback",
        "a; b; a: c",
        "[to be filled]",
        "long " * 2000,
    ],
)
def test_hostile_values_are_data(prepared: Project, value: str) -> None:
    """Nothing is run, no entry, field or heading comes of a value, and the same update again changes nothing."""
    words = (*BEGIN[:3], f"purpose={value}", f"context={value}")
    update(prepared, *words)
    found = entry(prepared, "abc123")
    assert (found.fields["Status"], found.fields["Agent"], found.past) == ("active", "implementor", False)
    headings = [line for line in read(prepared).splitlines() if line.startswith("#")]
    assert [line for line in headings if not line.startswith("### Implementor - ")] == [
        "# Session State",
        ACTIVE,
        HISTORY,
    ]
    first = " ".join(value.split())[:1] if value.isprintable() else ""
    assert first in found.fields["Purpose"]
    assert len(" ".join(value.split())) <= 4000 or " ".join(value.split())[:4000] in found.fields["Context"]
    valid(prepared)
    before = read(prepared)
    assert update(prepared, *words)["updated_files"] == []
    assert read(prepared) == before
    assert not (prepared.root / "X").exists()


@pytest.mark.parametrize("field", ["purpose", "context", "branch"])
@pytest.mark.parametrize("shape", ["with {} in it", 'key:["{}",b]', '{{"token": "{}", "files": ["a"]}}'])
def test_secrets_are_kept_nowhere(prepared: Project, field: str, shape: str) -> None:
    """What looks like a secret is masked in the hub, and in all that holdfast notes beside it."""
    secret = "sk-ant-api03-Zx9Yw8Vu7Ts6Rq5Po4Nm3"  # noqa: S105 - made up
    reported = shape.format(secret)
    update(prepared, *[pair for pair in BEGIN if not pair.startswith(field)], f"{field}={reported}")
    assert "masked" in read(prepared)
    holding = [
        path for path in prepared.root.rglob("*") if path.is_file() and secret[10:].encode() in path.read_bytes()
    ]
    assert holding == []


PIECES = st.sampled_from(
    [
        *("**", "_", "*", "###", "# ", " ", "  ", "\n", "|", "---", "===", "- ", "1. ", "> ", "[", "]", "(", ")", ":"),
        *(";", ",", "{", "}", '"', "'", "$25", "\\1", "a", "b", "key:", "k:v", "k:[a,b]", "k:[b;c]", "k: w", "😀", "é"),
        *("**Status:** done", "Session ID", "\t", "!", "=", "x=", "\x01", "[ ]", "none", "...", "2026-01-01", "@"),
        *("C:\\temp", "src/[id].ts", '{"a":1}', '{"a":["b, c"],"_d":"e"}', "https://x.y/z", "Children", "(abc123)"),
    ]
)
TEXTS = st.lists(PIECES, max_size=8).map("".join)


@given(purpose=TEXTS, context=TEXTS, more=TEXTS)
def test_an_update_is_idempotent_whatever_it_says(
    tmp_path_factory: pytest.TempPathFactory, purpose: str, context: str, more: str
) -> None:
    """For every purpose and context the second time changes no byte, the fields hold, and history is come back from."""
    file_format = catalogue.known("", Cache(str(tmp_path_factory.getbasetemp()))).get("genie")
    assert file_format

    def made(data: bytes, at: float, *arguments: str) -> bytes:
        transaction = Transaction(Hub(data, file_format), at)
        making.apply(transaction, read_request(arguments))
        return transaction.done()

    begin = (*BEGIN[:3], f"purpose={purpose}", f"context={context}")
    first = made(NEW.encode(), 1.8e9, *begin)
    assert made(first, 1.8e9, *begin) == first
    end = ("action=completed", "session_id=abc123", f"context={more}")
    second = made(first, 1.8e9 + 60, *end)
    assert made(second, 1.8e9 + 60, *end) == second
    (found,) = entries(second.decode()).values()
    assert (found.fields["Status"], found.fields["Agent"], found.past) == ("completed", "implementor", True)
    third = made(second, 1.8e9 + 120, "action=started", "session_id=abc123")
    (found,) = entries(third.decode()).values()
    assert (found.fields["Status"], found.past, "Completed" in found.fields) == ("active", False, False)


@pytest.mark.parametrize("action", STATUSES)
def test_the_same_update_twice(prepared: Project, action: str) -> None:
    """The same update again leaves the hub as it is; only `in_progress` may change the time."""
    update(prepared, "action=started", "agent=genie", "session_id=par-1", "purpose=Lead")
    words = (f"action={action}", *BEGIN[1:], "parent_session=par-1", "branch=b", 'context=files:[a,"b c"] phase:two ok')
    update(prepared, *words)
    before = snapshot(prepared.root / ".agents")[NAME.rpartition("/")[2]], read(prepared)
    reported = update(prepared, *words)
    after = snapshot(prepared.root / ".agents")[NAME.rpartition("/")[2]], read(prepared)
    if action == "in_progress":
        assert timeless(after[1]) == timeless(before[1])
    else:
        assert (after, reported["updated_files"]) == (before, [])


# --- context ---


@pytest.mark.parametrize(
    ("reported", "items"),
    [
        (["files:[a,b]", "files:[b,c]"], ["files: a, b, c"]),
        (["files:[a]", "tests:[a]", "files:[b]"], ["files: a, b", "tests: a"]),
        (["ok:false", "ok:true", "ok:true"], ["ok: false", "ok: true"]),
        (["ok:true", "ok:false", "ok:true"], ["ok: true", "ok: false", "ok: true"]),
        (["issue:#90 issue:#91", "issue:#90 issue:#91"], ["issue: #90, #91"]),
        (["half done", "half done", "done", "half done"], ["half done", "done"]),
        (["Note: see x", "Note: see x"], ["Note: see x"]),
        (["a:1 then words that stay, together"], ["a: 1 then words that stay, together"]),
        (["ok:true then words"], ["ok: true", "then words"]),
        (["words first files:[a,b] ok:true"], ["words first", "files: a, b", "ok: true"]),
        (["files:[app/[id]/page.tsx,app/[[...rest]]/p.tsx] ok:true"],
         ["files: app/[id]/page.tsx, app/[[...rest]]/p.tsx", "ok: true"]),
        (["files:[]", "files:[a]", "files:[]"], ["files: a"]),
        (['note:"two words" x:1'], ["note: two words", "x: 1"]),
        (["see https://x.y/z and C:\\temp"], ["see https://x.y/z and C:\\temp"]),
        (['{"files": ["a", "b"], "ok": true, "who": "Jan"}', '{"files": ["c"]}'],
         ["files: a, b, c", "ok: true", "who: Jan"]),
        (['{"notes": ["one, two"]}', '{"notes": ["one, two", "three"]}'], ["notes: one, two, three"]),
        (['{"deep": {"a": [1, "é"]}, "none": null}'], ['deep: {"a": [1, "é"]}', "none: null"]),
        (['{"a:b": "c", "d:e": "f", "_g": 1}'] * 2, ["a b: c", "d e: f", "_g: 1"]),
        (['{"not": json'], ['{"not": json']),
        (['{"a": ' + "[" * 900], ['{"a": ' + "[" * 900]),
        (["none yet", "[to be filled]", "files:[a]"], ["files: a"]),
    ],
)  # fmt: skip
def test_context_is_data_that_grows(prepared: Project, reported: list[str], items: list[str]) -> None:
    """Lists grow, another value is another line, words stand once, and what is there stays as it is."""
    update(prepared, *BEGIN)
    for context in reported:
        update(prepared, "action=paused", "session_id=abc123", f"context={context}")
    assert entry(prepared, "abc123").context == items
    valid(prepared)


def test_a_long_list_is_kept_whole(prepared: Project) -> None:
    """Two hundred files that were changed are evidence, every one of them, as a list and in an object."""
    files = [f"packages/module-{number:03}/source/index.ts" for number in range(200)]
    update(prepared, *BEGIN, f"context=files:[{','.join(files)}] ok:true")
    update(prepared, *BEGIN, f"context={json.dumps({'more': files})}")
    assert entry(prepared, "abc123").context == [f"files: {', '.join(files)}", "ok: true", f"more: {', '.join(files)}"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("**Context:** see the wiki; two things", ["**Context:** see the wiki; two things; files: a, b; ok: yes; so"]),
        ("**Context:**\n- see the wiki\n- files: a", ["- files: a, b", "- ok: yes; so"]),
        ("**Context:**\n* see the wiki", ["* files: a, b", "* ok: yes; so"]),
        ("**Context:** [Key files, decisions, state]", ["- files: a, b", "- ok: yes; so"]),
        ("**Context:**", ["- files: a, b", "- ok: yes; so"]),
    ],
)
def test_a_persons_context_is_appended_to(prepared: Project, line: str, expected: list[str]) -> None:
    """What a person wrote as the context stays; an update joins it in its own form, and joins it once."""
    fields = "**Session ID:** `s`\n**Started:** 2025-10-17 16:00 UTC\n**Status:** active\n**Purpose:** Work"
    put(prepared, f"# Hub\n\n{ACTIVE}\n\n### Git - Work\n{fields}\n{line}\n**Next:** Go on\n")
    before = read(prepared)
    for _ in range(2):
        update(prepared, "action=waiting", "session_id=s", 'context={"files": ["a", "b"], "ok": "yes; so"}')
    _, came = moved(before, read(prepared))
    assert [each.strip() for each in came if "Last Updated" not in each and "Status" not in each and each.strip()][
        -2:
    ] == expected
    valid(prepared)


# --- what becomes of a session ---


def test_completed_moves_to_the_history(prepared: Project) -> None:
    """The entry moves with all its context, the time it began and the one it was completed; the latest comes first."""
    update(prepared, "action=started", "agent=tests", "session_id=old", "purpose=Before")
    update(prepared, *BEGIN, "context=files:[a]")
    update(prepared, "action=started", "agent=git", "session_id=stays", "purpose=Go on")
    update(prepared, "action=completed", "session_id=old")
    update(prepared, "action=completed", "session_id=abc123", "context=report:.genie/done.md")
    found = entries(read(prepared))
    assert list(found) == ["stays", "abc123", "old"]
    assert [reported.past for reported in found.values()] == [False, True, True]
    assert found["abc123"].context == ["files: a", "report: .genie/done.md"]
    assert all(re.fullmatch(TIME, found["abc123"].fields[field]) for field in ("Started", "Completed"))
    valid(prepared)


def test_evidence_may_follow_completion(prepared: Project) -> None:
    """A completed session takes more evidence where it is, and keeps the time at which it was completed."""
    text = f"# Hub\n\n{ACTIVE}\n\n{WRITTEN}"
    put(prepared, text.replace("NOW", "2025-10-17 16:00 UTC"))
    before = read(prepared)
    update(prepared, "action=completed", "session_id=abc123", "context=report:done.md")
    gone, came = moved(before, read(prepared))
    assert gone == ["**Last Updated:** 2025-10-17 16:00 UTC\n"]
    assert came == ["**Last Updated:** NOW\n", "- report: done.md\n"]


@pytest.mark.parametrize("action", ["started", "in_progress", "waiting", "paused"])
def test_a_completed_session_comes_back(prepared: Project, action: str) -> None:
    """What goes on after it was completed is active again, without the time of its completion, and keeps the rest."""
    update(prepared, *BEGIN, "context=files:[a]")
    update(prepared, "action=completed", "session_id=abc123")
    update(prepared, f"action={action}", "session_id=abc123")
    found = entry(prepared, "abc123")
    assert (found.past, found.fields["Status"], found.context) == (False, STATUSES[action], ["files: a"])
    assert "Completed" not in found.fields
    valid(prepared)


def test_children_complete_with_their_parent(prepared: Project) -> None:
    """Open children and theirs are completed and moved; those that were done keep their time and words."""
    update(prepared, "action=started", "agent=genie", "session_id=par", "purpose=Lead")
    for child, parent in (("kid", "par"), ("grandkid", "kid"), ("done", "par"), ("other", "")):
        more = [f"parent_session={parent}"] if parent else []
        update(prepared, "action=started", "agent=git", f"session_id={child}", "purpose=Help", *more)
    update(prepared, "action=completed", "session_id=done", "context=by itself")
    before = entry(prepared, "done")
    update(prepared, "action=completed", "session_id=par", "context=report:r.md")
    found = entries(read(prepared))
    assert {ident for ident, reported in found.items() if reported.past} == {"par", "kid", "grandkid", "done"}
    assert found["done"] == before
    assert found["other"].fields["Status"] == "active"
    assert found["kid"].context == ["Completed with its parent Genie (par)"]
    assert found["par"].context == ["report: r.md"]
    assert all(found[ident].fields["Completed"] for ident in ("par", "kid", "grandkid"))
    valid(prepared)


def test_adopting_a_child(prepared: Project) -> None:
    """Another parent takes the child over: all three entries say so after one update."""
    for parent in ("one", "two"):
        update(prepared, "action=started", "agent=genie", f"session_id={parent}", f"purpose=Lead {parent}")
    update(prepared, *BEGIN, "parent_session=one")
    update(prepared, "action=in_progress", "session_id=abc123", "parent_session=two")
    found = entries(read(prepared))
    assert found["abc123"].fields["Parent"] == "Genie (two)"
    assert found["two"].fields["Children"] == "Implementor (abc123)"
    assert "abc123" not in found["one"].fields.get("Children", "")
    valid(prepared)


def test_a_parent_that_only_its_journal_knows(prepared: Project) -> None:
    """A live session that has no entry yet gets one when a child names it, and both ends of the link are there."""
    prepared.remember("lead", {"kind": "start", "root": str(prepared.root)}, {"kind": "edit", "path": "a.py"})
    update(prepared, *BEGIN, "parent_session=lead")
    found = entries(read(prepared))
    assert "(lead)" in found["abc123"].fields["Parent"]
    assert "(abc123)" in found["lead"].fields["Children"]


@pytest.mark.parametrize("parent", ["", "lead"])
def test_the_heading_of_a_child_names_its_parent(prepared: Project, parent: str) -> None:
    """Only a session that another one started has the other one's name in its heading."""
    update(prepared, "action=started", "agent=genie", "session_id=lead", "purpose=Lead")
    update(prepared, *BEGIN, f"parent_session={parent}")
    title = "Implementor - Implement feature X"
    assert entry(prepared, "abc123").title == (f"{title} (child of Genie)" if parent else title)


@pytest.mark.slow
def test_updates_at_the_same_time(prepared: Project) -> None:
    """Twelve agents that begin at once under one parent are all there, each linked from both ends."""
    update(prepared, "action=started", "agent=genie", "session_id=lead", "purpose=Lead")
    lines = [f"action=started agent=git session_id=kid-{n} purpose=P{n} parent_session=lead" for n in range(12)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda line: update(prepared, line), lines))
    found = entries(read(prepared))
    assert len(found) == 13
    assert all(f"(kid-{number})" in found["lead"].fields["Children"] for number in range(12))
    valid(prepared)


# --- what people wrote ---

PERSONS = """\
# 🧠 Session State
**Last Updated:** !`date -u +"%Y-%m-%d %H:%M:%S UTC"`

Ask Jan before you touch `api`.\x20\x20
Thanks!

## 🎯 Active Sessions

<!-- the latest last -->

### 🛠 Implementor - Rates
- **Session ID:** `rates-1`
- **Started:** 2025-10-17 16:00 UTC
- **Status:** active
- **Purpose:** Rates of *2025*
- **Context:** see the wiki

### Tests - Line ends
**Session ID:** `ends-2`\x20\x20
**Started:** 2025-10-17 16:05 UTC\x20\x20
**Status:** active\x20\x20
**Purpose:** Watch line ends\x20\x20
**Mood:** 😀\x20\x20

Words of mine under the fields.

### Git - In full
**Session ID:** `full-3`
**Started:** 2025-10-17 16:10 UTC
**Last Updated:** 2025-10-17 16:10 UTC
**Status:** active
**Agent:** git
**Purpose:** All there
**Context:**
* first
* second
**Next:** Go on

## Notes of mine

| a | b |
|---|---|
| **Status:** | active |

```markdown
### Git - An example
**Session ID:** `example...`
**Status:** active
```

## 📚 Session History (Recent)

### Roadmap - Old
**Session ID:** `old-4`
**Started:** 2025-10-16 16:10 UTC
**Status:** completed
**Purpose:** Done

---
*Kept by hand since 2024.*
"""
UNCHANGED = {
    "LF": PERSONS.encode(),
    "CRLF": PERSONS.replace("\n", "\r\n").encode(),
    "a byte order mark": b"\xef\xbb\xbf" + PERSONS.encode(),
    "no final newline": PERSONS.rstrip("\n").encode(),
}


@pytest.mark.parametrize("form", UNCHANGED)
@pytest.mark.parametrize(
    ("arguments", "gone", "came"),
    [
        pytest.param(
            ["action=waiting", "session_id=rates-1", "context=for Jan"],
            ["- **Status:** active\n", "- **Context:** see the wiki\n"],
            ["- **Last Updated:** NOW\n", "- **Status:** waiting\n", "- **Context:** see the wiki; for Jan\n"],
            id="bullets",
        ),
        pytest.param(
            ["action=paused", "session_id=ends-2"],
            ["**Status:** active  \n"],
            ["**Last Updated:** NOW  \n", "**Status:** paused  \n"],
            id="hard breaks",
        ),
        pytest.param(
            ["action=in_progress", "session_id=full-3", "context=third", "branch=b"],
            ["**Last Updated:** 2025-10-17 16:10 UTC\n"],
            ["**Last Updated:** NOW\n", "**Branch:** b\n", "* third\n"],
            id="a list",
        ),
    ],
)
def test_only_the_meant_lines_change(
    prepared: Project, form: str, arguments: list[str], gone: list[str], came: list[str]
) -> None:
    """Notes, order, headings, directives, line ends and closing words stay byte for byte; the meant lines fit in."""
    data = UNCHANGED[form]
    path = put(prepared, data)
    update(prepared, *arguments)
    ends = "\r\n" if form == "CRLF" else "\n"
    lines = moved(data.decode(), path.read_bytes().decode())
    assert lines == ([line.replace("\n", ends) for line in gone], [line.replace("\n", ends) for line in came])


@pytest.mark.parametrize("form", UNCHANGED)
def test_a_person_s_hub_is_lived_in(prepared: Project, form: str) -> None:
    """Entries come, go to the history and come back, and every line that a person wrote outlives it, in order."""
    data = UNCHANGED[form]
    path = put(prepared, data)
    update(prepared, *BEGIN, "parent_session=full-3")
    update(prepared, "action=completed", "session_id=full-3")
    after = path.read_bytes()
    assert entries(after.decode().removeprefix("\ufeff"))["abc123"].past
    assert after.count(b"\r\n") == (after.count(b"\n") if form == "CRLF" else 0)
    assert after[:3] == data[:3]
    assert after.endswith(data[-40:])
    kept, lines = after.decode().splitlines(), data.decode().splitlines()
    assert {line for line in lines if line not in kept} == {"**Last Updated:** 2025-10-17 16:10 UTC"}
    update(prepared, "action=started", "session_id=full-3")
    found = entries(path.read_bytes().decode().removeprefix("\ufeff"))
    assert not found["full-3"].past
    assert list(found)[:2] == ["rates-1", "ends-2"]


def test_the_protocols_example_is_read_and_extended(prepared: Project) -> None:
    """The example hub of the protocol is valid, takes a child, and all that stood in it is still there."""
    path = put(prepared, EXAMPLE, ".genie/SESSION-STATE.md")
    valid(prepared)
    update(prepared, *BEGIN, "parent_session=git-xyz-abc123")
    gone, came = moved(EXAMPLE, path.read_text())
    assert gone == []
    assert came[:2] == ["**Last Updated:** NOW\n", "- Implementor (abc123)\n"]
    assert "**Parent:** Git Neuron (git-xyz-abc123)\n" in came
    valid(prepared)
    update(prepared, "action=completed", "session_id=git-xyz-abc123", "context=Files:[src/other.ts] report:r.md")
    found = entries(path.read_text())
    assert all(reported.past for reported in found.values())
    assert found["git-xyz-abc123"].context == [
        "Branch: feat/xyz",
        "Files: src/feature.ts, tests/feature.test.ts, src/other.ts",
        "Issues created: #90, #91",
        "report: r.md",
    ]
    lines = path.read_text().splitlines()
    lost = {line for line in EXAMPLE.splitlines() if line not in lines}
    assert lost == {
        "**Status:** active",
        "- Files: src/feature.ts, tests/feature.test.ts",
        "**Context:** Collecting commit history, drafting description",
    }
    assert "Collecting commit history, drafting description; Completed with its parent" in path.read_text()
    valid(prepared)


CUT = """\
## Active Sessions

### Git Neuron - Feature
**Session ID:** `abc123...`
**Started:** 2025-10-17 16:00 UTC
**Status:** active
**Children:** issue workflow (def456)
**Purpose:** Create
**Context:** Branch feat/xyz, files modified: [list]

### Issue Workflow (child of Git Neuron)
**Session ID:** `def456...`
**Parent:** Git Neuron (abc123)
**Started:** 2025-10-17 16:05 UTC
**Status:** active
**Purpose:** Create the issue
"""


def test_ids_that_were_cut(prepared: Project) -> None:
    """A full id is that of the entry whose id was cut as in the protocol's templates; links and cycles know it."""
    put(prepared, CUT)
    reported = update(prepared, "action=in_progress", "agent=git", "session_id=abc123-4567", "context=files:[a]")
    assert (reported["session_id"], reported["agent"]) == ("abc123-4567", "git")
    before = read(prepared)
    assert "descends from" in refused(prepared, "action=paused", "session_id=abc123-4567", "parent_session=def456-7890")
    assert read(prepared) == before
    update(prepared, "action=waiting", "session_id=def456-7890", "parent_session=abc123-4567")
    assert "(abc123)" in entry(prepared, "def456...").fields["Parent"]
    update(prepared, "action=completed", "session_id=abc123-4567")
    found = entries(read(prepared))
    assert list(found) == ["abc123...", "def456..."]
    assert all(one.past and one.fields["Status"] == "completed" for one in found.values())
    valid(prepared)


def test_entries_that_a_person_takes_out_stay_out(prepared: Project) -> None:
    """A person who saves the hub without an entry means it, until an update names the session again."""
    path = put(prepared, EXAMPLE)
    update(prepared, *BEGIN, "context=files:[a]")
    path.write_text(EXAMPLE)
    update(prepared, "action=started", "agent=git", "session_id=other", "purpose=Go on")
    assert "abc123" not in entries(read(prepared))
    update(prepared, *BEGIN)
    assert {"abc123", "other"} <= set(entries(read(prepared)))


# --- refused ---

ENTRY = (
    "### Git - Work\n**Session ID:** `abc123`\n**Started:** 2025-10-17 16:00 UTC\n**Status:** active\n**Purpose:** W\n"
)
BROKEN = {
    "conflict markers": (
        f"# Hub\n\n{ACTIVE}\n\n<<<<<<< ours\n{ENTRY}=======\n>>>>>>> theirs\n",
        ["line 5", "conflict"],
    ),
    "an unclosed fence": (f"# Hub\n\n{ACTIVE}\n\n{ENTRY}\n```\ncode\n", ["line 11"]),
    "two sections": (f"# Hub\n\n{ACTIVE}\n\n{ENTRY}\n{ACTIVE}\n", ["Active Sessions appears 2 times", "3, 11"]),
    "two entries": (f"# Hub\n\n{ACTIVE}\n\n{ENTRY}\n{ENTRY}", ["abc123 has 2 entries", "5, 11"]),
    "another shape": ("# My notes\n\nNothing of that kind.\n", ["no section Active Sessions"]),
    "an empty line": ("\n", ["no section Active Sessions"]),
    "a field twice": (f"# Hub\n\n{ACTIVE}\n\n{ENTRY}**Purpose:** Or this\n", ["2 fields Purpose"]),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_hub_that_must_not_be_written(prepared: Project, case: str) -> None:
    """What is broken, ambiguous or no hub is left alone and not staged; the answer says where and what."""
    text, words = BROKEN[case]
    put(prepared, text)
    before = snapshot(prepared.root / ".agents")
    reported = refused(prepared, *BEGIN)
    if case == "two sections":
        reported += refused(prepared, *BEGIN[:2], "session_id=new-1", "purpose=New")
    assert [word for word in words if word not in reported] == []
    assert snapshot(prepared.root / ".agents") == before
    assert prepared.staged() == []


@pytest.mark.parametrize("case", ["link", "folder", "read-only", "hard link"])
def test_a_hub_in_no_place_of_its_own(prepared: Project, case: str) -> None:
    """A link, a folder that is one, a read-only file or one with two names is not written, nor what it leads to."""
    outside = prepared.folder / "outside"
    outside.mkdir()
    (outside / "SESSION-STATE.md").write_text(EXAMPLE)
    if case == "folder":
        shutil.rmtree(prepared.root / ".agents")
        (prepared.root / ".agents").symlink_to(outside)
    else:
        path = put(prepared, EXAMPLE)
        if case == "link":
            path.unlink()
            path.symlink_to(outside / "SESSION-STATE.md")
        elif case == "hard link":
            path.unlink()
            path.hardlink_to(outside / "SESSION-STATE.md")
        else:
            path.chmod(0o444)
    before = snapshot(outside), {name: state for name, state in snapshot(prepared.root).items() if ".git" not in name}
    reported = refused(prepared, *BEGIN)
    assert "link" in reported or "read-only" in reported
    assert {name: state for name, state in snapshot(prepared.root).items() if ".git" not in name} == before[1]
    assert snapshot(outside) == before[0]


@pytest.mark.slow
def test_a_lock_that_another_process_holds(prepared: Project) -> None:
    """After its timeout the update fails, names the lock, and has written nothing."""
    prepared.store.mkdir(exist_ok=True)
    with FileLock(prepared.store / "lock"):
        reported = refused(prepared, *BEGIN)
    assert str(prepared.store / "lock") in reported
    assert "nothing was written" in reported
    assert not (prepared.root / NAME).exists()
    update(prepared, *BEGIN)


def test_where_there_is_no_place_for_a_hub(here: Project) -> None:
    """In a bare repository, and in a folder outside git that was not prepared, the answer says what to do."""
    here.git("clone", "-q", "--bare", str(here.root), str(here.folder / "bare"))
    (here.folder / "plain").mkdir()
    for folder, word in (("bare", "worktree"), ("plain", "holdfast init")):
        before = snapshot(here.folder / folder)
        assert word in refused(here, *BEGIN, cwd=here.folder / folder)
        after = snapshot(here.folder / folder)  # what is never committed may be kept in a bare repository, too
        assert {name: state for name, state in after.items() if not name.startswith("holdfast")} == before


# --- where the hub is, and git ---


@pytest.mark.parametrize(
    ("there", "chosen"),
    [
        ([], ".agents/SESSION-STATE.md"),
        ([".agents/SESSION-STATE.md"], ".agents/SESSION-STATE.md"),
        ([".genie/SESSION-STATE.md"], ".genie/SESSION-STATE.md"),
        ([".agents/SESSION-STATE.md", ".genie/SESSION-STATE.md"], ".genie/SESSION-STATE.md"),
    ],
)
def test_which_file_is_the_hub(here: Project, there: list[str], chosen: str) -> None:
    """The one in .genie where that exists, else the one in .agents, which is made; no other changes."""
    for name in there:
        put(here, EXAMPLE, name)
    update(here, *BEGIN)
    assert here.staged() == [chosen]
    assert "abc123" in read(here, chosen)
    assert all(read(here, name) == EXAMPLE for name in there if name != chosen)


def test_only_what_changed_is_staged(prepared: Project) -> None:
    """The hub and its companions are staged as written; whatever else lies there is as it was."""
    put(prepared, "# Plan\n", ".agents/MASTER-PLAN.md")
    put(prepared, "# User\n", ".agents/USERCONTEXT.md")
    (prepared.root / "other.txt").write_text("x")
    (prepared.root / ".agents/holdfast.toml").write_text("# mine\n")
    update(prepared, *BEGIN)
    names = [".agents/MASTER-PLAN.md", NAME, ".agents/USERCONTEXT.md"]
    assert prepared.staged() == names
    assert [prepared.git("show", f":{name}") for name in names] == [read(prepared, name) for name in names]


def test_nothing_is_staged_when_that_is_not_wanted(prepared: Project) -> None:
    """With `stage = false` the files are written and the index is left alone."""
    put(prepared, "stage = false\n", ".agents/holdfast.toml")
    put(prepared, "# Plan\n", ".agents/MASTER-PLAN.md")
    assert update(prepared, *BEGIN)["updated_files"] == ["SESSION-STATE.md", "MASTER-PLAN.md"]
    assert prepared.staged() == []


def test_a_hub_that_git_ignores(prepared: Project) -> None:
    """Where .gitignore has the folder nothing is staged, and that is no fault."""
    put(prepared, ".agents/\n", ".gitignore")
    reported = update(prepared, *BEGIN)
    assert reported["updated_files"] == ["SESSION-STATE.md"]
    assert prepared.staged() == []


def test_outside_git(here: Project) -> None:
    """A prepared folder that git does not know has a hub like any other."""
    shutil.rmtree(here.root / ".git")
    assert here.cli("init").code == 0
    assert update(here, *BEGIN)["message"] == "Session state updated successfully"
    assert entry(here, "abc123").fields["Status"] == "active"


def test_a_worktree_tells_the_hub_of_the_main_one(prepared: Project) -> None:
    """From a linked worktree the hub of the main working tree changes and is staged there; none is made in it."""
    put(prepared, EXAMPLE)
    prepared.git("worktree", "add", "-q", "../linked")
    linked = prepared.folder / "linked"
    update(prepared, *BEGIN, cwd=linked)
    assert "abc123" in entries(read(prepared))
    assert prepared.staged() == [NAME]
    assert prepared.git("status", "--porcelain", cwd=linked) == ""


def test_from_any_folder_inside(prepared: Project) -> None:
    """The folder in which it is called does not matter."""
    (prepared.root / "deep/er").mkdir(parents=True)
    update(prepared, *BEGIN, cwd=prepared.root / "deep/er")
    assert prepared.staged() == [NAME]


# --- the documents beside the hub ---

PLAN = """\
# Master Plan

1. [ ] Rates (`abc123`)
   - [ ] a part of it
2. [x] Ends of `abc1234` and abc123-4
- plain words on `other-1`

Bye  """
USER = """\
# User

**Name:** J
- **Last Activity:** long ago
**Mood:** 😀
"""


@pytest.mark.parametrize("folder", [".agents", ".genie"])
def test_the_plan_and_the_user_context(prepared: Project, folder: str) -> None:
    """The session's line gets status and time, its box is ticked when done; the user's last activity is reported."""
    put(prepared, f"# Hub\n\n{ACTIVE}\n", f"{folder}/SESSION-STATE.md")
    put(prepared, PLAN, f"{folder}/MASTER-PLAN.md")
    put(prepared, USER, f"{folder}/USERCONTEXT.md")
    for action in ("started", "completed", "paused"):
        reported = update(prepared, f"action={action}", *BEGIN[1:])
        assert reported["updated_files"] == ["SESSION-STATE.md", "MASTER-PLAN.md", "USERCONTEXT.md"]
        at, done = reported["timestamp"], action == "completed"
        line = f"1. [{'x' if done else ' '}] Rates (`abc123`) - {STATUSES[action]}, {at}"
        assert read(prepared, f"{folder}/MASTER-PLAN.md") == PLAN.replace("1. [ ] Rates (`abc123`)", line)
        activity = f"{at}: Implementor - Implement feature X (`abc123`), {STATUSES[action]}"
        assert read(prepared, f"{folder}/USERCONTEXT.md") == USER.replace("long ago", activity)


def test_a_session_that_the_plan_does_not_name(prepared: Project) -> None:
    """It gets one line in a section of its own, once, and the next one joins it; a person's lines stay."""
    path = put(prepared, PLAN, ".agents/MASTER-PLAN.md")
    update(prepared, "action=started", "agent=git", "session_id=new-1", "purpose=Ship | it")
    for action in ("started", "completed"):
        update(prepared, f"action={action}", "agent=tests", "session_id=new-2", "purpose=Check")
    gone, came = moved(PLAN, path.read_text())
    assert [line.strip() for line in gone] in ([], ["Bye"])
    lines = [re.sub(TIME, "NOW", line.rstrip("\n")) for line in came if line.strip() and line.strip() != "Bye"]
    assert lines == [
        "## Sessions",
        "- [ ] Git - Ship | it (`new-1`) - active, NOW",
        "- [x] Tests - Check (`new-2`) - completed, NOW",
    ]


def test_companions_are_not_made(prepared: Project) -> None:
    """Where there is no plan and no user context there is none afterwards."""
    update(prepared, *BEGIN)
    names = sorted(path.name for path in (prepared.root / ".agents").iterdir())
    assert names == ["SESSION-STATE.md", "holdfast.toml"]


@pytest.mark.parametrize("name", ["MASTER-PLAN.md", "USERCONTEXT.md"])
@pytest.mark.parametrize("case", ["conflict", "fence", "link", "nowhere", "folder", "read-only", "twice"])
def test_a_broken_companion_is_left(prepared: Project, name: str, case: str) -> None:
    """What cannot be written safely stays as it is and is reported; the update of the hub succeeds all the same."""
    twice = "# X\n\n- one `abc123`\n- two `abc123`\n\n**Last Activity:** a\n**Last Activity:** b\n"
    texts = {"conflict": "# X\n\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n", "fence": "# X\n\n```\nopen\n", "twice": twice}
    path = put(prepared, texts.get(case, "# X\n"), f".agents/{name}")
    if case in {"link", "nowhere", "folder"}:
        path.unlink()
    if case in {"link", "nowhere"}:
        (prepared.folder / "target.md").write_text("# X\n")
        path.symlink_to(prepared.folder / ("target.md" if case == "link" else "gone.md"))
    elif case == "folder":
        path.mkdir()
    elif case == "read-only":
        path.chmod(0o444)
    before = snapshot(prepared.root / ".agents")[name]
    reported = update(prepared, *BEGIN)
    assert reported["updated_files"] == ["SESSION-STATE.md"]
    assert f"{name} was left as it is: " in reported["message"]
    assert snapshot(prepared.root / ".agents")[name] == before
    assert prepared.staged() == [NAME]
    assert "abc123" in entries(read(prepared))


def test_a_value_that_the_shell_tore_apart_is_put_together_again(prepared: Project) -> None:
    """A purpose that nobody quoted is the words up to the next key; an action may be written as one shouts it."""
    begun = ("action=STARTED,", "agent=git", "session_id=n.7", "purpose=Run", "the", "tests", "branch=feat/x")
    assert update(prepared, *begun)["action"] == "started"
    found = entry(prepared, "n.7")
    assert (found.fields["Purpose"], found.fields["Branch"]) == ("Run the tests", "feat/x")


def test_long_texts_are_kept_whole_and_what_is_cut_is_reported(prepared: Project) -> None:
    """A report of ten thousand words is in the context as it came; beyond the limit the answer says so."""
    words = " ".join(f"word{number}" for number in range(3000))
    update(prepared, *BEGIN[:3], f"context={words} END")
    assert entry(prepared, "abc123").fields["Context"] == f"{words} END"
    answer = update(prepared, *BEGIN[:3], f"purpose={'p' * 5000}")
    assert "purpose was cut at 4,000 characters" in answer["message"]


def test_many_facts_at_once_take_one_look(prepared: Project) -> None:
    """A context of hundreds of facts is laid into the entry at once, and read back whole."""
    facts = {f"key_{number}": number for number in range(400)}
    update(prepared, *BEGIN[:3], f"context={json.dumps(facts)}")
    assert entry(prepared, "abc123").fields["Context"] == "; ".join(f"{key}: {value}" for key, value in facts.items())


@pytest.mark.parametrize(
    ("stated", "action"),
    [
        ("waiting (depends on PR #90 review)", "completed"),
        ("active 🔥 nearly done", "completed"),
        ("blocked on Mara", "completed"),
        ("Active (blocked)", "in_progress"),
        ("waiting for Ana", "waiting"),
    ],
)
def test_what_a_status_says_beside_its_word_is_kept(prepared: Project, stated: str, action: str) -> None:
    """Status is prose: when it is updated, what the old one said goes to the context."""
    hubs.write(prepared, f"# Hub\n\n## Active Sessions\n\n### A\n**Session ID:** `a-1`\n**Status:** {stated}\n")
    update(prepared, f"action={action}", "session_id=a-1")
    assert entry(prepared, "a-1").fields["Status"] == {"in_progress": "active"}.get(action, action)
    assert f"Status before: {stated}" in entry(prepared, "a-1").fields["Context"]


def test_the_beginning_of_a_sessions_id_means_that_session(prepared: Project) -> None:
    """Lists show eight characters of an id; an update that gives these is of that session, and of no new one."""
    ident = "0f9d2b6c-0000-4000-8000-000000000001"
    prepared.remember(ident, {"kind": "start", "host": "elsewhere"}, {"kind": "edit", "path": "a.py"})
    assert prepared.cli("settle").code == 0
    assert update(prepared, "action=in_progress", f"session_id={ident[:8]}", "context=note:one")["session_id"] == ident
    update(prepared, "action=started", "agent=tests", "session_id=kid", "purpose=Kid", f"parent_session={ident[:8]}")
    assert ident in entry(prepared, "kid").fields["Parent"]
    assert prepared.cli("validate").code == 0


def test_a_sessions_own_state_file_says_what_it_was_updated_to(prepared: Project) -> None:
    """Paused and completed go to the session's state file as well, so that hub, list and brief agree."""
    prepared.remember("one", {"kind": "start", "host": "elsewhere"}, {"kind": "edit", "path": "a.py"}, {"kind": "due"})
    assert prepared.cli("settle").code == 0
    (state,) = prepared.state_files()
    for action, word in (("paused", "paused"), ("in_progress", "in_progress"), ("completed", "completed")):
        answer = update(prepared, f"action={action}", "session_id=one")
        assert str(state.relative_to(prepared.root)) in answer["updated_files"]
        assert f"status: {word}\n" in state.read_text()
        (row,) = [row for row in json.loads(prepared.cli("list", "--all", "--json").out) if row["id"] == "one"]
        assert row["status"] == word.replace("in_progress", "active")


def test_a_state_file_that_cannot_follow_is_named_in_the_answer(prepared: Project) -> None:
    """The hub has the update, the file stays as it is, and the answer says why."""
    prepared.remember("one", {"kind": "start", "host": "elsewhere"}, {"kind": "edit", "path": "a.py"}, {"kind": "due"})
    assert prepared.cli("settle").code == 0
    (state,) = prepared.state_files()
    torn = state.read_text() + "<<<<<<< a\n=======\n>>>>>>> b\n"
    state.write_text(torn)
    answer = update(prepared, "action=paused", "session_id=one")
    name = str(state.relative_to(prepared.root))
    assert f"{name} was left as it is: " in answer["message"]
    assert "conflict markers" in answer["message"]
    assert name not in answer["updated_files"]
    assert state.read_text() == torn
    assert entry(prepared, "one").fields["Status"] == "paused"


def test_an_archived_session_goes_on_as_what_it_was(prepared: Project) -> None:
    """What went to the archive keeps its start and purpose when it comes back; it can be a parent, too."""
    for number in range(3):
        update(prepared, "action=completed", "agent=git", f"session_id=h{number}", f"purpose=Work {number}")
    assert prepared.cli("archive", "--keep", "1").code == 0
    update(prepared, "action=in_progress", "session_id=h0", "context=again:yes")
    found = entry(prepared, "h0")
    assert (found.fields["Purpose"], found.past, "Completed" in found.fields) == ("Work 0", False, False)
    update(prepared, "action=started", "agent=git", "session_id=k", "purpose=Kid", "parent_session=h1")
    assert "(h1)" in entry(prepared, "k").fields["Parent"]


def test_an_update_is_a_fact_in_the_journal_of_its_session(prepared: Project) -> None:
    """A session that no client started has a journal, too; what it says is whole, however long."""
    files = ",".join(f"src/module_{number}.py" for number in range(400))
    for ident in ("abc-1", "abc.2"):
        update(prepared, "action=started", "agent=git", f"session_id={ident}", "purpose=X", f"context=files:[{files}]")
    update(prepared, "action=paused", "session_id=abc-1")
    first, last = prepared.facts("abc-1")
    assert (first["kind"], first["status"], last["status"]) == ("update", "active", "paused")
    assert first["request"]["context"] == f"files:[{files}]"
    listed = json.loads(prepared.cli("list", "--all", "--json").out)
    assert sorted(row["id"] for row in listed) == ["abc-1", "abc.2"]


def test_updates_alone_begin_no_session(prepared: Project) -> None:
    """A session that only has updates has not begun for a client; its first other fact begins it."""
    store = str(prepared.store)
    assert not journal.has_begun(store, "abc-1")
    update(prepared, "action=started", "agent=git", "session_id=abc-1", "purpose=X")
    prepared.cli("loop", "add", "Which VAT?", CLAUDE_CODE_SESSION_ID="abc-1")
    assert [fact["kind"] for fact in prepared.facts("abc-1")] == ["update"]
    assert not journal.has_begun(store, "abc-1")
    prepared.remember("abc-1", {"kind": "prompt", "text": "go on"})
    prepared.remember("abc-2", {"kind": "prompt", "text": "go on"})
    assert journal.has_begun(store, "abc-1")
    assert journal.has_begun(store, "abc-2")


def test_what_git_was_asked_for_is_nobodys_old_copy(prepared: Project) -> None:
    """After a checkout the hub is that branch's: nothing of another branch is put back, and a merge has each once."""

    def commit(words: str) -> None:
        prepared.git("add", "-A")
        prepared.git("commit", "-q", "-m", words)

    update(prepared, "action=started", "agent=git", "session_id=base", "purpose=Base")
    commit("base")
    prepared.git("checkout", "-q", "-b", "two")
    update(prepared, "action=started", "agent=tests", "session_id=two", "purpose=Two")
    commit("two")
    prepared.git("checkout", "-q", "main")
    update(prepared, "action=in_progress", "session_id=base", "context=note:x")
    assert "`two`" not in read(prepared)
    commit("one")
    prepared.git("merge", "-q", "-m", "both", "two")
    assert read(prepared).count("`two`") == 1
    assert prepared.cli("validate").code == 0


def test_entries_without_a_section_for_them_get_one(prepared: Project) -> None:
    """A hub that only has entries is written to, and one whose sections are of the third level, in its own shape."""
    hubs.write(prepared, "# Hub\n" + hubs.person("a-1"))
    update(prepared, *BEGIN)
    assert "\n## Active Sessions\n\n### Implementor" in read(prepared)
    hubs.write(prepared, "# Hub\n\n### Active Sessions\n\n#### A\n**Session ID:** `a-1`\n**Status:** active\n")
    update(prepared, *BEGIN)
    assert "\n#### Implementor" in read(prepared)


def test_the_plan_hears_of_children_that_are_completed_with_their_parent(prepared: Project) -> None:
    """Each session that was completed has its line ticked."""
    (prepared.root / ".agents/MASTER-PLAN.md").write_text("# Plan\n\n## Sessions\n")
    update(prepared, "action=started", "agent=git", "session_id=p1", "purpose=Parent")
    update(prepared, "action=started", "agent=tests", "session_id=p2", "purpose=Child", "parent_session=p1")
    update(prepared, "action=completed", "session_id=p1")
    reported = (prepared.root / ".agents/MASTER-PLAN.md").read_text()
    assert [line[:5] for line in reported.splitlines() if line.startswith("- [")] == ["- [x]", "- [x]"]
