"""Runs of tests, and edits that were taken back with git, by Claude Code's transcript: hooks see no result of a shell.

Only the shape of a command counts, never its meaning for the work.
"""

import os
import re

from holdfast.core import clock, fast_json, files
from holdfast.core.fast_json import number_of, text_of
from holdfast.journal import transcript
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Object = dict[str, object]

_SEARCHED = 1 << 20  # bytes at the end of a transcript
_COMMAND, _RESULT = 160, 120  # characters of each that are kept
_START = r"(?:^|&&|;|\|\||\bdo\s|\n)\s*(?:\w+=\S*\s+)*(?:(?:uv|poetry|pdm|hatch) run |npx |bunx |nice |time |sudo )*"
_TESTS = re.compile(
    _START + r"(?:\S*/)?(?:pytest|tox|nox|jest|vitest|ctest|rspec|phpunit|"
    r"python3?(?: -\S+)* -m (?:pytest|unittest)|"
    r"(?:npm|pnpm|yarn|bun|deno|cargo|go|dotnet|swift|mix|rake|mvn|\./mvnw|gradle|\./gradlew|make|just)"
    r"(?: run| -\S+)* (?:test|tests|check|verify|nextest)(?::\S+)?)(?=$|[\s;&|])"
)
_UNDONE = re.compile(
    _START + r"git(?: -C \S+)? (?:revert\b|reset --hard\b|restore(?! --staged)\b|"
    r"checkout (?:(?:HEAD\S*|\w{7,40}) )?(?:--|\.)(?=\s|$))"
)
_OUTCOME = re.compile(
    r"\b\d+ (?:tests? )?(?:passed|failed|failing|passing|errors?)\b|"
    r"^(?:ok|OK|FAILED|FAIL|PASS)\b|\btest result:|^Tests:",
    re.MULTILINE,
)


def late(path: str, since: float) -> "list[Object]":
    """Return the facts about runs in a transcript after `since` (seconds since 1970), in order."""
    try:
        data = files.tail(path, _SEARCHED) if os.path.isfile(path) else b""
    except (OSError, ValueError):
        return []
    lines = [line for line in data.splitlines() if b'"Bash"' in line or b'"tool_result"' in line]
    results = {ident: block for line in lines for ident, block in _results(line)}
    found = [fact for line in lines if b'"Bash"' in line for fact in _runs(fast_json.object_in(line), results)]
    return [fact for fact in found if number_of(fact, "made") >= since]


def _runs(line: "Object", results: "dict[str, Object]") -> "Iterator[Object]":
    """Yield the facts about the uses of the shell in a line of the main conversation."""
    at = clock.read(text_of(line, "timestamp"))
    for block in _blocks(line) if line.get("isSidechain") is not True else ():
        ident, given = text_of(block, "id"), block.get("input")
        command = text_of(given, "command") if isinstance(given, dict) and block.get("name") == "Bash" else ""
        result = results.get(ident)
        tests, undone = _TESTS.search(command), _UNDONE.search(command)
        if result is not None and tests:
            text = _telling(command, tests.start())
            yield {"kind": "ran", "id": ident, "text": text, "note": _outcome(result), "made": at}
        elif result is not None and undone and result.get("is_error") is not True:
            yield {"kind": "undone", "id": ident, "text": _telling(command, undone.start()), "made": at}


def _telling(command: str, start: int) -> str:
    """Return the one command that begins there in a command line, without secrets."""
    rest = command[start:].lstrip("&;| \n")
    return safe.line(re.split(r"\s*(?:\||&&|;|\n|2?>)", rest, maxsplit=1)[0], _COMMAND)


def _outcome(result: "Object") -> str:
    """Return the last line of a result that counts tests, else whether the command failed."""
    lines = [line.strip(" =\t") for line in transcript.result_text(result.get("content")).splitlines()]
    counted = next((line for line in reversed(lines) if _OUTCOME.search(line)), "")
    return safe.line(counted, _RESULT) or ("failed" if result.get("is_error") is True else "")


def _results(line: bytes) -> "Iterator[tuple[str, Object]]":
    for block in _blocks(fast_json.object_in(line)) if b'"tool_result"' in line else ():
        if ident := text_of(block, "tool_use_id"):
            yield ident, block


def _blocks(line: "Object") -> "list[Object]":
    message = line.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
