"""A good file of each format, made from the data that describes the format, so that a new format has one by itself."""

from __future__ import annotations

import fnmatch
import os
import time
from typing import TYPE_CHECKING, NamedTuple

from holdfast.core.cache import Cache
from holdfast.formats import catalogue

if TYPE_CHECKING:
    from holdfast.formats.format import Field, Format, Part

TYPE = "build"  # the type of work of the files
SHEET = ("Reason", "Decision", "#")  # the columns of a table whose columns the format does not name
ROWS = (("It is read often", "Keep one table", "1"), ("Nobody asked", "Leave the archive out", "2"))
_SAID = {"depth": "0", "return to": "None (not forked)"}
_BEGUN = time.time()
_HOUR = 3600


def formats(root: str = "") -> dict[str, Format]:
    """Return all formats by name, with those of the project at `root`."""
    return {file_format.name: file_format for file_format in catalogue.known(root, Cache(""))}


FORMATS = formats()


class Good(NamedTuple):
    """A good file: its path in the project, its text, and the parts of its format that are in it."""

    name: str
    text: str
    parts: list[Part]
    bodies: dict[str, str]  # by the title of a section


def moment(zone: str = "+00:00", hours: float = 1.0) -> str:
    """Return the time so many hours ago at an offset from UTC such as "+09:00"."""
    ahead = (int(zone[1:3]) + int(zone[4:]) / 60) * _HOUR * (-1 if zone[0] == "-" else 1)
    return time.strftime(f"%Y-%m-%dT%H:%M:%S{zone}", time.gmtime(_BEGUN - hours * _HOUR + ahead))


def minute(zone: str = "+00:00", hours: float = 1.0) -> str:
    """Return that time to the minute, without its zone."""
    return moment(zone, hours)[:16].replace("T", " ")


def good(name: str, zone: str = "+00:00") -> Good:
    """Return a good file of a format, whose times have the offset `zone`."""
    file_format = FORMATS[name]
    parts = [part for part in file_format.parts if part.applies_to(TYPE)]
    path = _path(file_format)
    marks = next(group for group in file_format.recognised if _is_called(os.path.basename(path), group))
    made = _Made(file_format, parts, zone)
    for mark in marks:
        made.mark(mark)
    return Good(path, made.text(), parts, made.bodies)


def _path(file_format: Format) -> str:
    """Return a path at which a file of the format is found."""
    first = file_format.patterns[0]
    return first.replace("*", "20260211-080000-prices" if "sessions/" in first else "prices")


def _is_called(name: str, marks: list[str]) -> bool:
    """Whether a file of this name fits what the marks want of its name."""
    wanted = [mark[5:] for mark in marks if mark.startswith("name:")]
    return all(fnmatch.fnmatchcase(name.casefold(), pattern.casefold()) for pattern in wanted)


class _Made:
    """The text of a file while its marks and parts are put together."""

    def __init__(self, file_format: Format, parts: list[Part], zone: str) -> None:
        self.format, self.parts, self.zone = file_format, parts, zone
        self.title = "Prices"
        self.front: dict[str, str] = {}
        self.labels: dict[str, list[str]] = {}  # section -> names of labels that only a mark names
        self.bodies: dict[str, str] = {}
        self.sections: list[str] = []  # sections that only a mark names

    def mark(self, mark: str) -> None:
        """Take what one mark of the format wants in the file."""
        kind, _, value = mark.partition(":")
        if kind == "front":
            self.front[value] = "0badcafe-prices"
        elif kind == "title":
            self.title = f"{value} Prices" if value.endswith(":") else f"{value}: Prices"
        elif kind == "section" and self.format.part(value) is None:
            self.sections.append(value)
        elif kind == "label":
            section, _, name = value.rpartition("/")
            self.labels.setdefault(section, []).append(name)

    def text(self) -> str:
        """Return the whole file."""
        body = [f"# {self.title}", *self._top()]
        body += [self._section(part) for part in self.parts if part.title and part.holds != "front"]
        body += [f"## {title}\n\n{self._labels(title) or f'Words of {title}.'}" for title in self.sections]
        known = {part.title for part in self.parts} | {*self.sections, ""}
        body += [f"## {title}\n\n{self._labels(title)}" for title in self.labels if title not in known]
        return self._front() + "\n\n".join(body) + "\n"

    def _front(self) -> str:
        """Return the frontmatter, "" where the format has none."""
        keys: dict[str, str] = {}
        for part in self.parts:
            for field in part.fields if part.holds == "front" else ():
                keys[field.name] = self._value(field)
        for place in self.format.stamp:
            if place.startswith("front:"):
                keys.setdefault(place[6:], moment(self.zone))
        keys = {key: value for key, value in {**self.front, **keys}.items() if key.count(".") < 2}
        if not keys:
            return ""
        lines, group = [], ""
        for key, value in keys.items():
            above, _, name = key.rpartition(".")
            if above and above != group:
                lines.append(f"{above}:")
            group = above
            lines.append(f'{"  " if above else ""}{name}: "{value}"')
        return "\n".join(["---", *lines, "---", "", ""])

    def _top(self) -> list[str]:
        """Return the labels above all sections."""
        fields = [field for part in self.parts if not part.title for field in part.fields]
        lines = [f"**{field.name}:** {self._value(field)}" for field in fields]
        names = {field.name for field in fields}
        stamps = [place[6:] for place in self.format.stamp if place.startswith("label:")]
        if stamps and not any(field.names & {_plain(stamp)} for field in fields for stamp in stamps):
            lines.append(f"**{stamps[0]}:** {moment(self.zone)}")
        lines += [f"**{name}:** Prices" for name in self.labels.get("", []) if name not in names | {*stamps}]
        return ["\n".join(lines)] if lines else []

    def _labels(self, title: str) -> str:
        """Return the labels of a section that only marks name."""
        return "\n".join(f"**{name}:** Words of {name}" for name in self.labels.get(title, []))

    def _section(self, part: Part) -> str:
        """Return a section with its heading."""
        body = self.bodies[part.title] = self._body(part)
        if part.level > 6:
            return f"<{part.title}>\n{body}\n</{part.title}>"
        return f"{'#' * part.level} {part.title}\n\n{body}".rstrip()

    def _body(self, part: Part) -> str:
        """Return what a section holds."""
        title = part.title
        inside = any(other.under == title for other in self.parts)
        known = {
            "checks": f"- [ ] Check {title}\n- [ ] Check {title} twice\n- [x] Begin {title}",
            "tags": "#prices #import",
            "log": self._log(part),
            "table": sheet(part),
        }
        if part.holds in known:
            return known[part.holds]
        fields = "\n".join(f"**{field.name}:** {self._value(field)}" for field in part.fields)
        if part.holds == "fields" or fields:
            return "\n".join(filter(None, [fields, self._extra(part)])) or "**Notes:** Words"
        if inside:
            return ""
        return f"Words of {title}." if part.holds == "text" else f"- One of {title}\n- Two of {title}"

    def _log(self, part: Part) -> str:
        """Return two entries of a log, under a time or in a list."""
        entry = part.entry if "\n" in part.entry or part.entry.startswith("#") else f"- {part.entry}"
        texts = ((3, f"Began {part.title}"), (2, f"Went on with {part.title}"))
        entries = [entry.replace("{minute}", minute(self.zone, at)).replace("{text}", text) for at, text in texts]
        between = "\n" if entry.startswith("- ") else "\n\n"
        return between.join(reversed(entries) if part.newest == "first" else entries)

    def _extra(self, part: Part) -> str:
        """Return the labels that marks want in a section beside its fields."""
        known = {name for field in part.fields for name in field.names}
        extra = [name for name in self.labels.get(part.title, []) if _plain(name) not in known]
        return "\n".join(f"**{name}:** Words of {name}" for name in extra)

    def _value(self, field: Field) -> str:
        """Return a value that a field may have."""
        status = next((words[0] for words in self.format.status.values() if words), "active")
        known = {"percent": "60%", "status": status, "share": "1850 / 5000 tokens (37%) - deliberate"}
        stamp = any(_plain(place.rpartition(":")[2].rpartition("/")[2]) in field.names for place in self.format.stamp)
        if field.kind == "time" or stamp or field.name == "Started":
            return moment(self.zone, 1.0 if stamp else 4.0)
        if field.kind == "choice":
            return field.values[0]
        plain = field.name.rpartition(".")[2].casefold()
        return known.get(field.kind) or {"status": status, "type": TYPE, **_SAID}.get(plain, f"Words of {plain}")


def sheet(part: Part | None, order: tuple[int, ...] = ()) -> str:
    """Return a table of a section with its columns in some order, as numbers; without one as the format has them."""
    columns = (part and part.columns) or list(SHEET)
    rows: list[tuple[str, ...]] = list(ROWS)
    if part and part.columns:
        rows = [
            tuple(part.choices[name][0] if name in part.choices else _cell(name, number) for name in columns)
            for number in (1, 2)
        ]
    chosen = order or tuple(range(len(columns)))
    lines = [[columns[at] for at in chosen], ["---" for _ in chosen], *([row[at] for at in chosen] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(column: str, number: int) -> str:
    """Return a text of a row in a column that the format names."""
    return f"LOOP-00{number}" if column == "ID" else f"{column} {number}"


def _plain(name: str) -> str:
    """Return a name in the form in which a field has its names."""
    return name.replace("_", " ").casefold()
