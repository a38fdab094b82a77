"""A new state file from its format's template: ids, times and names are filled in, the rest is left to Claude."""

import os
import re
import unicodedata

from holdfast.core import clock
from holdfast.core.words import words
from holdfast.formats import issue, managed_block
from holdfast.formats.format import Format
from holdfast.markdown import yamltree

_OFFSET = "%Y-%m-%dT%H:%M:%S+00:00"
_VARIABLE = re.compile(r"\{(\w+)\}")
OPEN = "[Why this is done, and why now.]"
_LONGEST = 48  # characters of a slug


class Work:
    """A piece of work that begins: the measured facts about it."""

    __slots__ = ("branch", "client", "created", "kind", "request", "session", "title")

    def __init__(self, title: str, created: float, kind: str = "") -> None:
        self.title = title
        self.created = created
        self.kind = kind
        self.branch = self.request = self.session = ""
        self.client = "Claude Code"  # whose session it is


def name(title: str, created: float) -> str:
    """Return the file name for a piece of work: its start in UTC and a slug of its title."""
    return f"{clock.write(created, clock.FILE_NAME)}-{slug(title)}.md"


def slug(title: str) -> str:
    """Return the words of a title, in any script, as a part of a file name; keys of issues are left out."""
    found = "-".join(words(issue.without_keys(title)))
    end = _LONGEST
    while unicodedata.category(found[end : end + 1] or "-")[0] == "M":  # no letter loses its marks
        end -= 1
    return found[:end].strip("-") or "session"


def compose(file_format: Format, work: Work) -> bytes:
    """Return a new state file; its audit finds only the parts that are left to Claude."""
    form = file_format.template.get("text", "").lstrip("\n")
    form = form.replace("{sections}", file_format.template.get(work.kind, "").removeprefix("\n"))
    if not work.kind:
        form = "".join(line for line in form.splitlines(keepends=True) if "{type}" not in line.lower())
    known = _variables(work)
    return _VARIABLE.sub(lambda found: known.get(found[1], found[0]), form).encode()


def _variables(work: Work) -> dict[str, str]:
    """Return the values of a template's variables."""
    on_branch = f" on branch {managed_block.code(work.branch)}" if work.branch else ""
    known = issue.fields(f"{work.title} {work.request}")
    who = f"{work.client} session {managed_block.code(work.session)} started this work" if work.session else ""
    return {
        "title": work.title.replace("**", "\\*\\*").replace("__", "\\_\\_"),  # so that it does not become a label
        "quoted": yamltree.quoted(work.title),
        "issue": "".join(f"  {key}: {yamltree.quoted(text)}\n" for key, text in known.items()),
        "type": work.kind,
        "Type": work.kind.capitalize(),
        "iso": clock.write(work.created),
        "offset": clock.write(work.created, _OFFSET),
        "minute": clock.write(work.created, clock.MINUTE),
        "date": clock.write(work.created, clock.MINUTE)[:10],
        "ident": work.session or "con_" + os.urandom(8).hex(),
        "request": f"> {work.request}" if work.request else OPEN,
        "by": f"{who or 'Work started by hand'}{on_branch}.",
    }
