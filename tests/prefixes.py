"""Makes `plugin/holdfast/trust/rule_prefixes.txt` from the rules of gitleaks: the literal text with which keys begin.

    python -m tests.prefixes FILE VERSION DATE

FILE is a gitleaks.toml, or a gitleaks program, which contains one. Only literal beginnings of the rules' patterns are
taken over. A rule that begins with a name or with any character has none.
"""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from itertools import product
from pathlib import Path
from typing import Any

OUTPUT = Path(__file__).resolve().parents[1] / "plugin/holdfast/trust/rule_prefixes.txt"
_PARSER: Any = importlib.import_module("re._parser")
_BEGIN = b'title = "gitleaks config"'
_TEXT = re.compile(rb"(?:[\t\n\r\x20-\x7e]|[\xc2-\xf4][\x80-\xbf]{1,3})*")
_GO = ((r"\z", r"\Z"), ("[[:alnum:]]", "[0-9A-Za-z]"), ("(?i)", ""))
_FEWEST, _MOST = 12, 64  # characters after a prefix, prefixes of a rule
_RUN = 32  # characters of a random text that is masked without a prefix
_DISTINCT = re.compile(r"(?!https?://|data:|kind:)(?=.*[^A-Za-z]|.{10})[A-Za-z0-9][A-Za-z0-9_.~-]{2,}")
_HEADER = """\
# The beginnings of keys in the rules of gitleaks {version}, taken on {date}, after how many characters follow at least.
# Made by tests/prefixes.py. gitleaks: https://github.com/gitleaks/gitleaks, Copyright (c) 2019 Zachary Rice, MIT.
# Only the literal text with which a pattern begins was taken over.
"""


def rules(data: bytes) -> list[dict[str, Any]]:
    """Return the rules in a gitleaks.toml, or in the one that a program contains."""
    found = _TEXT.match(data, max(data.find(_BEGIN), 0))
    text = found[0].decode() if found else ""
    heads = [match.start() for match in re.finditer(r"^\[\[rules\]\]$", text, re.MULTILINE)]
    tail = text[heads[-1] :].split("\n") if heads else []
    for count in range(len(tail), 0, -1):  # other data follows the text in a program
        try:
            return list(tomllib.loads(text[: heads[-1]] + "\n".join(tail[:count]))["rules"])
        except tomllib.TOMLDecodeError:
            continue
    return []


def beginnings(pattern: str) -> dict[str, int]:
    """Return the distinct literal texts with which every match of a pattern begins, and how many characters follow."""
    for go, python in _GO:
        pattern = pattern.replace(go, python)
    try:
        parsed = _PARSER.parse(pattern)
    except re.error:
        return {}
    least = parsed.getwidth()[0]
    found = {text: least - len(text) for text in _literals(list(parsed))[0] if _DISTINCT.fullmatch(text)}
    return {text: count for text, count in found.items() if count >= _FEWEST and not _random(text, count)}


def _random(text: str, count: int) -> bool:
    """Whether a key is masked for its length and randomness alone."""
    return text.isalnum() and len(text) + count >= _RUN


def _literals(parts: list[Any]) -> tuple[list[str], bool]:
    """Return the literal beginnings of parsed parts, and whether they are all that the parts match."""
    found = [""]
    for kind, value in parts:
        name = str(kind)
        if name == "AT":
            continue
        if name == "LITERAL":
            more, whole = [chr(value)], True
        elif name == "IN" and all(str(one) == "LITERAL" for one, _ in value):
            more, whole = [chr(char) for _, char in value], True
        elif name == "SUBPATTERN":
            more, whole = _literals(list(value[3]))
        elif name == "BRANCH":
            branches = [_literals(list(branch)) for branch in value[1]]
            more, whole = [text for texts, _ in branches for text in texts], all(whole for _, whole in branches)
        else:
            return found, False
        if len(found) * len(more) > _MOST:
            return found, False
        found = ["".join(pair) for pair in product(found, more)]
        if not whole:
            return found, False
    return found, True


def main(file: str, version: str, date: str) -> None:
    """Write the file."""
    found: dict[str, int] = {}
    for rule in rules(Path(file).read_bytes()):
        for text, count in beginnings(rule.get("regex", "")).items():
            found[text] = min(count, found.get(text, count))
    lines = [
        f"{least} {' '.join(text for text in sorted(found) if found[text] == least)}\n"
        for least in sorted(set(found.values()))
    ]
    OUTPUT.write_text(_HEADER.format(version=version, date=date) + "".join(lines))
    sys.stdout.write(f"{OUTPUT}: {len(found)} prefixes\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
