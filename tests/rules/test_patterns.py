"""Regular expressions that every supported Python matches alike."""

from __future__ import annotations

import re

from tests.support.machine import ROOT

_POSSESSIVE_GROUP = re.compile(r"\)(?:[*+?]|\{+[0-9,]+\}+)\+")


def test_no_group_has_a_possessive_quantifier() -> None:
    r"""Python 3.11 before 3.11.5, such as Debian 12's, matches `(?:\.\d+)*+` wrongly (cpython issue 106052).

    A lookahead that is repeated by its name, `(?=(?P<name>...))(?P=name)`, does the same.
    """
    lines = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in [*(ROOT / "plugin").rglob("*.py"), *(ROOT / "hooks").glob("*.py")]
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if _POSSESSIVE_GROUP.search(line)
    ]
    assert not lines
