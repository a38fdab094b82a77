"""`holdfast stats`: figures against journals and transcripts that were counted by hand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.cli.test_json import SCHEMA, flaws
from tests.journal.test_transcript import NOISE, answer, boundary, user
from tests.support import hooks

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared
DAY = 1_767_268_800.0  # 2026-01-01T12:00:00Z


def request(ident: str, *counts: int, **more: Any) -> bytes:
    """Return a line of the answer with this message id: fresh, written, cached and output tokens."""
    line = json.loads(answer(*counts, **more))
    line["message"]["id"] = ident
    return json.dumps(line).encode()


def stats(project: Project, *arguments: str) -> dict[str, Any]:
    """Return what `holdfast stats --json` prints."""
    reply = project.cli("stats", "--json", *arguments)
    assert reply.code == 0, reply
    found = json.loads(reply.out)
    assert flaws(found, SCHEMA["stats"]) == []
    assert isinstance(found, dict)
    return found


def work(project: Project, session: str, day: int, *facts: dict[str, Any], transcript: Path | None = None) -> None:
    """Write the journal of a session that starts on a day and whose facts are ten seconds apart."""
    at = DAY + 86400 * day
    start = {"kind": "start", "root": str(project.root), "branch": "main", "transcript": str(transcript or "")}
    for number, fact in enumerate((start, *facts)):
        project.remember(session, fact, at=at + 10 * number)


def test_tokens_are_counted_to_the_token(here: Project, tmp_path: Path) -> None:
    """Each request counts once, with its last numbers: one in several lines, a fork's copy of one, a subagent's."""
    first, fork = tmp_path / "first.jsonl", tmp_path / "fork.jsonl"
    lines = [
        user("do it"),
        request("m1", 1, 20, 300, 1),  # while it was written
        request("m1", 1, 20, 300, 4000),
        *NOISE,
        boundary(preTokens=9, postTokens=584),
        request("m2", 5, 0, 0, 6, gitBranch="topic"),
        request("m3", 0, 0, 0, 0, isApiErrorMessage=True),
        request("m4", 7, 0, 0, 0)[:80],  # cut off by a crash
    ]
    first.write_bytes(b"\n".join(lines))
    (tmp_path / "first/subagents").mkdir(parents=True)
    (tmp_path / "first/subagents/agent-a1.jsonl").write_bytes(request("m5", 10, 10, 10, 10, isSidechain=True))
    fork.write_bytes(b"\n".join([*lines[:3], request("m6", 100, 0, 0, 100)]))
    work(here, "one", 0, transcript=first)
    work(here, "two", 1, transcript=fork)
    work(here, "three", 2, transcript=tmp_path / "gone.jsonl")
    found = stats(here)
    tokens = {
        one["id"]: [one[key] for key in ("requests", "fresh", "cache_write", "cache_read", "output")]
        for one in found["sessions"]
    }
    assert tokens == {"one": [3, 16, 30, 310, 4016], "two": [1, 100, 0, 0, 100], "three": [0, 0, 0, 0, 0]}
    assert found["tokens"] == {
        "requests": 4,
        "fresh": 116,
        "cache_write": 30,
        "cache_read": 310,
        "output": 4116,
        "cost": 0.0,
    }
    assert [(one["branch"], one["requests"], one["output"]) for one in found["branches"]] == [
        ("main", 3, 4110),
        ("topic", 1, 6),
    ]


def test_journals_are_counted(here: Project) -> None:
    """Tasks, files, subagents, time to completion, zones, and days without gaps."""
    edits = [{"kind": "edit", "tool": "Edit", "path": path} for path in ("a.py", "b.py", "a.py")]
    task = {"kind": "task", "id": "1", "subject": "x", "status": "pending"}
    child = {"kind": "child", "agent": "a1", "type": "Explore", "status": "running"}
    work(here, "one", 0, *edits, task, {**task, "status": "completed"}, child, {**child, "status": "completed"})
    other = {**child, "agent": "a2"}
    work(here, "two", 2, *edits, task, {**task, "id": "2", "status": "deleted"}, other, {"kind": "zone", "zone": 2})
    work(here, "three", 2, {"kind": "completed", "status": "completed"}, {"kind": "edit", "path": "/elsewhere/c.py"})
    found = stats(here)
    keys = ("id", "tasks_done", "tasks", "files", "children", "seconds", "zone")
    assert sorted([tuple(one[key] for key in keys) for one in found["sessions"]]) == [
        ("one", 1, 1, 2, 1, 0, "comfortable"),
        ("three", 0, 0, 0, 0, 10, "comfortable"),
        ("two", 0, 1, 2, 1, 0, "warning"),
    ]
    assert [one["sessions"] for one in found["days"]] == [1, 0, 2]
    (agent,) = found["agents"]
    assert agent == {"type": "Explore", "count": 2, "completed": 1, "orphaned": 1, "median_seconds": 10}
    sums = ("sessions", "tasks_done", "tasks", "completed", "median_seconds")
    assert tuple(found["totals"][key] for key in sums) == (3, 1, 2, 1, 10)
    assert sorted((one["zone"], one["sessions"]) for one in found["zones"]) == [("comfortable", 2), ("warning", 1)]
    assert {one["id"] for one in stats(here, "--since", "2026-01-02")["sessions"]} == {"two", "three"}


def test_compactions_are_counted_by_what_summaries_kept(prepared: Project) -> None:
    """As `holdfast log` says it."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit")
    prepared.edit("first.py")
    prepared.fire("Stop")
    prepared.settled("one")
    prepared.fire("PreCompact")
    prepared.fire("SessionStart", source="compact")
    (row,) = [json.loads(line) for line in prepared.cli("log", "--json", "--kind", "compaction").out.splitlines()]
    (one,) = stats(prepared)["sessions"]
    assert (one["compactions"], one["kept"], one["omitted"]) == (1, row["kept"], len(row["omitted"]))
    assert one["omitted"] > 0


def test_compactions_are_counted_after_their_snapshots_are_gone(prepared: Project) -> None:
    """Twelve took place, and one more was asked for; ten snapshots are kept."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit")
    prepared.edit("first.py")
    prepared.fire("Stop")
    prepared.settled("one")
    for _ in range(12):
        prepared.fire("PreCompact")
        prepared.fire("SessionStart", source="compact")
    prepared.remember("one", {"kind": "compact", "trigger": "auto"})
    assert len(json.loads(prepared.cli("snapshots", "--json").out)) == 10
    found = stats(prepared)
    assert [one["compactions"] for one in found["sessions"]] == [12]
    assert sum(one["compactions"] for one in found["days"]) == 12


def test_days_are_the_sums_of_their_sessions(here: Project, tmp_path: Path) -> None:
    """Each figure of a day, and a day without any."""
    transcript = tmp_path / "t.jsonl"
    transcript.write_bytes(b"\n".join([request("m1", 1, 20, 300, 4000), request("m2", 5, 0, 0, 6)]))
    task = {"kind": "task", "id": "1", "subject": "x", "status": "completed"}
    work(here, "one", 0, task, {**task, "id": "2", "status": "pending"}, transcript=transcript)
    work(here, "two", 0, task, {"kind": "start", "source": "compact"})
    work(here, "three", 2)
    keys = ("sessions", "tasks_done", "tasks", "compactions", "tokens")
    assert [tuple(one[key] for key in keys) for one in stats(here)["days"]] == [
        (2, 2, 3, 1, 4332),
        (0, 0, 0, 0, 0),
        (1, 0, 0, 0, 0),
    ]


def test_agents_have_completion_rates_and_durations(here: Project) -> None:
    """Of each type: how many completed, were orphaned or still run, and the median time of the completed ones."""

    def child(name: str, agent: str, status: str) -> dict[str, Any]:
        return {"kind": "child", "agent": name, "type": agent, "status": status}

    began = [child("a", "Explore", "running"), child("b", "Explore", "running"), child("c", "Plan", "running")]
    over = [child("a", "Explore", "completed"), child("b", "Explore", "completed")]
    work(here, "one", 0, *began, *over)
    later = [child("d", "Explore", "running"), child("d", "Explore", "completed"), child("e", "", "running")]
    work(here, "two", 1, *later)
    assert stats(here)["agents"] == [
        {"type": "Explore", "count": 3, "completed": 3, "orphaned": 0, "median_seconds": 30},  # 30, 30 and 10
        {"type": "-", "count": 1, "completed": 0, "orphaned": 1, "median_seconds": 0},
        {"type": "Plan", "count": 1, "completed": 0, "orphaned": 1, "median_seconds": 0},
    ]
    shown = here.cli("stats", HOLDFAST_SCREEN="80x40").out.splitlines()
    assert [line.split() for line in shown if line.startswith(("AGENT", "Explore", "Plan"))] == [
        ["AGENT", "COUNT", "COMPLETED", "ORPHANED", "MEDIAN"],
        ["Explore", "3", "100%", "-", "30", "s"],
        ["Plan", "1", "0%", "1", "-"],
    ]


def test_a_terminal_and_a_pipe(here: Project) -> None:
    """80 columns; a pipe gets a row for each session."""
    for number in range(12):
        work(
            here, f"session-{number}", number, {"kind": "prompt", "text": "=1+1 in the sheet of the north branch " * 3}
        )
    shown = here.cli("stats", HOLDFAST_SCREEN="80x24").out.splitlines()
    assert shown[0] == "12 sessions, 2026-01-01 to 2026-01-12"
    assert shown[1] == "Sessions by day: " + "█" * 12
    assert max(map(len, shown)) <= 80
    assert "4 more: holdfast stats --header | cat" in shown
    rows = [line.split("\t") for line in here.cli("stats", "--header").out.splitlines()]
    assert [len(row) for row in rows] == [20] * 13


def test_work_is_called_as_in_the_list(prepared: Project) -> None:
    """With the title that a person gave it, and completed once it was closed; nothing is said of what was not."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="Which queue do we take?")
    prepared.edit("src/queue.py")
    prepared.fire("Stop")
    prepared.fire("SessionEnd")
    prepared.settled()
    prepared.cli("rename", "one", "Queue for imports")
    assert prepared.cli("close", "one").code == 0
    shown = prepared.cli("stats", HOLDFAST_SCREEN="80x24").out
    figures = stats(prepared)
    assert (figures["sessions"][0]["title"], figures["types"][0]["completed"]) == ("Queue for imports", 1)
    assert "Queue for imports" in shown
    for words in ("0 of 0", "Compactions", "Tokens", "ZONE", "comfortable", " to "):
        assert words not in shown, words


def test_nothing_is_known(here: Project) -> None:
    """Neither sessions nor a store."""
    assert here.cli("stats") == (
        0,
        "",
        "No session of a coding client is recorded here yet, so there are no figures.\n",
    )
    assert stats(here)["sessions"] == []


def test_the_cost_is_what_the_client_wrote(here: Project, tmp_path: Path) -> None:
    """Of each request once; one without a cost, or with one that is no amount, adds nothing."""
    path = tmp_path / "t.jsonl"
    odd = [request(f"m{number}", 1, costUSD=cost) for number, cost in enumerate((-1, "1", 1e9, None))]
    twice = request("n1", 9, 0, 0, 9, costUSD=0.25)
    path.write_bytes(b"\n".join([twice, twice, request("n2", 9, costUSD=0.5), request("n3", 9), *odd]))
    work(here, "one", 0, transcript=path)
    assert (stats(here)["tokens"]["cost"], stats(here)["days"][0]["cost"]) == (0.75, 0.75)
    assert "Cost: $0.75, as the client wrote it down" in here.cli("stats", HOLDFAST_SCREEN="80x24").out
