"""A new state file from its format's template: ids, times and names are filled in, the rest is left to Claude."""

import os
import re
import unicodedata

from holdfast.core import clock
from holdfast.core.words import words
from holdfast.formats import issue
from holdfast.formats.format import Format
from holdfast.formats.schema import TYPES
from holdfast.markdown import yamltree
from holdfast.markdown.document import code_span

_OFFSET = "%Y-%m-%dT%H:%M:%S+00:00"
_VARIABLE = re.compile(r"\{(\w+)\}")
_PLAIN = re.compile(r"\w(?:[\w ,.;:()'/+&?!-]*[\w.)?!])?")  # a title that reads back from wherever it is in a file
OPEN = "[Why this is done, and why now.]"
_OPEN_PHASE = "[which phase of the project this belongs to]"
_LONGEST = 48  # characters of a slug


class Work:
    """A piece of work that begins: the measured facts about it.

    `background` is the text for Context. `session` is the id of the client's session, `ident` the one that the file
    gets, "" for that of the session.
    """

    def __init__(self, title: str, created: float, kind: str = "", mode: str = "") -> None:
        self.title = title
        self.created = created
        self.kind = kind
        self.mode = mode or "general"
        self.branch = self.background = self.request = self.session = self.ident = self.phase = ""
        self.breakdown = "`holdfast budget`"  # where the token budget is explained
        self.client = "Claude Code"  # whose session it is


def name(title: str, created: float) -> str:
    """Return the file name for a piece of work: its start in UTC and a slug of its title."""
    return f"{clock.write(created, clock.FILE_NAME)}-{slug(title)}.md"


def dated(work: Work) -> str:
    """Return the date and the slug of a piece of work, such as 2026-01-21-importer."""
    return f"{clock.write(work.created, clock.MINUTE)[:10]}-{slug(work.title)}"


def new_ident() -> str:
    """Return an id for a conversation that no client has named."""
    return "con_" + os.urandom(8).hex()


def slug(title: str) -> str:
    """Return the words of a title, in any script, as a part of a file name; keys of issues are left out."""
    joined = "-".join(words(issue.without_keys(title)))
    end = _LONGEST
    while unicodedata.category(joined[end : end + 1] or "-")[0] == "M":  # no letter loses its marks
        end -= 1
    return joined[:end].strip("-") or "session"


def compose(file_format: Format, work: Work) -> bytes:
    """Return a new state file; its audit finds only the parts that are left to Claude."""
    form = file_format.template.get("text", "").lstrip("\n")
    kind = work.kind or _usual_type(file_format)
    form = form.replace("{sections}", file_format.template.get(kind, "").removeprefix("\n"))
    if not kind:
        form = "".join(line for line in form.splitlines(keepends=True) if "{type}" not in line.lower())
    known = _variables(work, kind)
    return _VARIABLE.sub(lambda match: known.get(match[1], match[0]), form).encode()


def _usual_type(file_format: Format) -> str:
    """Return the type of work that a new file has where none is given, "" in a format whose files need none."""
    front = file_format.part("frontmatter")
    field = front.field("type") if front else None
    return TYPES[0] if field and field.need == "recommended" else ""


def _variables(work: Work, kind: str) -> dict[str, str]:
    """Return the values of a template's variables."""
    on_branch = f" on branch {code_span(work.branch)}" if work.branch else ""
    known = issue.fields(f"{work.title} {work.request}")
    who = f"{work.client} session {code_span(work.session)} started this work" if work.session else ""
    return {
        "title": work.title.replace("**", "\\*\\*").replace("__", "\\_\\_"),  # so that it does not become a label
        "titled": "" if _PLAIN.fullmatch(work.title) else f"title: {yamltree.quoted(work.title)}\n",
        "quoted": yamltree.quoted(work.title),
        "issue": "".join(f"  {key}: {yamltree.quoted(text)}\n" for key, text in known.items()),
        "type": kind,
        "Type": kind.capitalize(),
        "mode": work.mode,
        "iso": clock.write(work.created),
        "offset": clock.write(work.created, _OFFSET),
        "minute": clock.write(work.created, clock.MINUTE),
        "date": clock.write(work.created, clock.MINUTE)[:10],
        "slug": dated(work),
        "breakdown": work.breakdown,
        "phase": work.phase or _OPEN_PHASE,
        "ident": work.ident or work.session or new_ident(),
        "request": work.background or OPEN,
        "by": f"{who or 'Work started by hand'}{on_branch}.",
    }
