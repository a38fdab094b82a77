"""Reads transcripts of the client (JSONL) as stories. No command in them is run; commits are made again."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING, Any

from .script import Session, Step, Story, facts, sessions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_COMMIT = re.compile(r"git commit\b.*?-\w*m\s+(?:\"\$\(cat <<'?EOF'?\n|[\"'])(?P<subject>[^\n\"']+)", re.DOTALL)
_ABSENT = ("Read", "Grep", "Glob", "LS", "WebFetch", "WebSearch", "ToolSearch")
_MACHINE = ("<command-", "<local-command", "<task-notification", "<bash-", "Caveat:", "[Request interrupted")

Line = dict[str, Any]


def read(folder: Path) -> Iterator[Story]:
    """Yield a story for each facts file: of NAME.jsonl beside it, or of all transcripts in the folder NAME, by name."""
    for path in sorted(folder.glob("*.facts")):
        chain = sorted(path.with_suffix("").glob("*.jsonl")) or [path.with_suffix(".jsonl")]
        yield Story(path.stem, [_session(transcript) for transcript in chain], facts(path.read_text()))


def _session(path: Path) -> Session:
    lines = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    branch = next((line["gitBranch"] for line in lines if line.get("gitBranch")), "main")
    return sessions([Step("session", branch), *_steps(lines)])[0]


def _steps(lines: list[Line]) -> Iterator[Step]:
    """Yield the steps from the first prompt on."""
    results = _results(lines)
    begun = False
    for line in lines:
        if line.get("isSidechain") or line.get("isMeta"):
            continue
        for step in _of_line(line, results):
            begun = begun or step.kind == "user"
            if begun or step.kind == "compact":
                yield step


def _of_line(line: Line, results: dict[str, Any]) -> Iterator[Step]:
    content = line.get("message", {}).get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    for block in blocks:
        if block.get("type") == "text" and block["text"].strip():
            yield from _said(line, block["text"].strip())
        elif block.get("type") == "tool_use":
            yield from _used(block, results.get(block.get("id", "")), line.get("cwd", ""))


def _said(line: Line, text: str) -> Iterator[Step]:
    if line["type"] == "assistant":
        yield Step("answer", "", text)
    elif line.get("isCompactSummary"):
        yield Step("compact", "", text)
    elif line["type"] == "user" and not text.startswith(_MACHINE):
        yield Step("user", "", text)


def _used(block: Line, result: Any, cwd: str) -> Iterator[Step]:
    name, given = block["name"], block["input"]
    path = str(given.get("file_path", "")).removeprefix(f"{cwd}/")
    inside = path and not path.startswith("/") and not {"..", ".git"} & {*path.split("/")}
    if name == "Write" and inside:
        yield Step("write", path, str(given.get("content", "")))
    elif name in ("Edit", "MultiEdit") and inside:
        yield Step("write", path, json.dumps(given, ensure_ascii=False))
    elif name == "Bash":
        yield from _committed(str(given.get("command", "")))
    elif name in ("Agent", "Task"):
        yield Step("agent", f"{given.get('subagent_type', 'agent')}: {given.get('description', '')}", _report(result))
    elif name == "TaskCreate":
        yield Step("task", str(given.get("subject", "")))
    elif name not in _ABSENT and not path:
        yield Step("tool", name, data={"input": given, "response": result if isinstance(result, dict) else {}})


def _committed(command: str) -> Iterator[Step]:
    found = _COMMIT.search(command)
    if found:
        yield Step("bash", f"git add -A && git commit -q --allow-empty -m {shlex.quote(found['subject'].strip())}")


def _report(result: Any) -> str:
    content = result.get("content") if isinstance(result, dict) else result
    blocks = content if isinstance(content, list) else []
    return "\n".join(block["text"] for block in blocks if isinstance(block, dict) and "text" in block)


def _results(lines: list[Line]) -> dict[str, Any]:
    """Return what each use of a tool gave, by the id of the use."""
    found: dict[str, Any] = {}
    for line in lines:
        content = line.get("message", {}).get("content")
        for block in content if isinstance(content, list) else []:
            if block.get("type") == "tool_result":
                found[block.get("tool_use_id", "")] = line.get("toolUseResult", block)
    return found
