"""Paragraphs that people use as a list: each line of them begins with words in bold."""

import re

_BOLD = re.compile(r"(?:\*\*[^*\n]{1,120}\*\*|__[^_\n]{1,120}__)")


def is_list(text: str) -> bool:
    """Return whether each line of a paragraph begins with words in bold."""
    lines = text.splitlines()
    return bool(lines) and all(_BOLD.match(line.strip()) for line in lines)


def items(text: str) -> list[str]:
    """Return the entries of a paragraph, each on one line: its lines if it is a list, else the whole."""
    return [" ".join(line.split()) for line in (text.splitlines() if is_list(text) else [text])]
