"""One shared session: what its row contains, and how a row from elsewhere is cleaned before it is used."""

from holdfast.core import clock
from holdfast.core.fast_json import list_of, number_of, table_of, text_of
from holdfast.journal import payload
from holdfast.sharing import machine
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypedDict

    class Row(TypedDict):
        """A session of another machine. Times are seconds since 1970 by the clock of that machine, 0.0 for never.

        Machine and host say where it runs, person who is known to have signed it, "" for an untrusted one; `contact` is
        when that machine was last heard from, by the own clock, and `lag` how old its facts were by its own clock then.
        `continues` is the session of another machine whose work it goes on with, `taken` who goes on with this one,
        and `base` is the blob with which its state file began there, "" if that was made there.
        An untrusted row has title, status and state only.
        """

        id: str
        title: str
        status: str
        state: str
        branch: str
        commit: str
        files: dict[str, float]
        uncommitted: list[str]
        tasks: str
        unfinished: list[str]
        loops: list[str]
        children: list[str]
        focus: str
        current: str
        stopped: str
        next: list[str]
        questions: list[str]
        decisions: list[str]
        blockers: list[str]
        continues: str
        base: str
        started: float
        heard: float
        ended: float
        live: bool
        machine: str
        host: str
        person: str
        trusted: bool
        contact: float
        lag: float
        taken: str


TEXTS, LISTS = ("focus", "current"), ("next", "questions", "decisions", "blockers")  # as in a state file's summary
GROUP = "on other machines"  # under which they are listed
STATUSES = ("active", "waiting", "paused", "completed", "ended")
_TITLE, _SHORT_TITLE, _TEXT, _PATH = 200, 60, 200, 400  # characters
_LIST, _FILES = 50, 500  # entries
LATEST = 1e11  # seconds since 1970 that still have a date


def clean(value: "Mapping[str, object]", ident: str) -> "Row":
    """Return the row of a session from what its machine wrote; what has another type or form is left out."""
    status = text_of(value, "status")
    return {
        "id": ident,
        "title": safe.line(text_of(value, "title"), _TITLE) or "untitled",
        "status": status if status in STATUSES else "active",
        "state": _path(value.get("state")),
        "branch": safe.line(text_of(value, "branch"), _TEXT),
        "commit": _object(text_of(value, "commit")),
        "files": _files(table_of(value, "files")),
        "uncommitted": [path for path in map(_path, list_of(value, "uncommitted")[:_LIST]) if path],
        "tasks": safe.line(text_of(value, "tasks"), 20),
        "unfinished": _lines(value, "unfinished"),
        "loops": _lines(value, "loops"),
        "children": _lines(value, "children"),
        "focus": safe.line(text_of(value, "focus"), _TEXT),
        "current": safe.line(text_of(value, "current"), _TEXT),
        "stopped": safe.line(text_of(value, "stopped"), _TEXT),
        "next": _lines(value, "next"),
        "questions": _lines(value, "questions"),
        "decisions": _lines(value, "decisions"),
        "blockers": _lines(value, "blockers"),
        "base": _object(text_of(value, "base")),
        "continues": ident_of(text_of(value, "continues")),
        "started": _time(value, "started"),
        "heard": _time(value, "heard"),
        "ended": _time(value, "ended"),
        "live": value.get("live") is True,
        "machine": "",
        "host": "",
        "person": "",
        "trusted": False,
        "contact": 0.0,
        "lag": 0.0,
        "taken": "",
    }


def ident_of(text: str) -> str:
    """Return the id of a session, "" for any other text."""
    return text if payload.is_session(text) else ""


def work(row: "Row") -> str:
    """Return the id of the work that a row is about: of the session that began it, wherever it goes on."""
    return row["continues"] or row["id"]


def reduced(row: "Row") -> "Row":
    """Return the row of an untrusted author: a short title, its status and the path of its state file."""
    kept = clean({key: row[key] for key in ("status", "state", "heard", "live")}, row["id"])
    kept["title"] = safe.line(row["title"], _SHORT_TITLE)
    kept["machine"], kept["contact"], kept["lag"] = row["machine"], row["contact"], row["lag"]
    return kept


def nameless(row: "Row") -> "Row":
    """Return the row of an untrusted author without its words: no title, and no path of a state file."""
    return {**row, "title": "(title not shown)", "state": ""}


def age(row: "Row", now: float) -> float:
    """Return for how many seconds a session was silent: since the last contact, and before it by its own clock.

    The clocks of two machines may differ, so that a time of one is never compared with a time of the other.
    """
    return max(0.0, now - row["contact"]) + row["lag"]


def presence(row: "Row", now: float, lease: float) -> str:
    """Return live or not running; `lease` is for how many seconds after a contact a session counts as live."""
    return "live" if row["live"] and not row["ended"] and age(row, now) <= lease else "not running"


def where(row: "Row") -> str:
    """Return whose session it is and on which machine, such as `Mara on host-b`, or who took it over."""
    if not row["trusted"]:
        return f"not trusted, machine {machine.short(row['machine'])}"
    return f"continued by {row['taken']}" if row["taken"] else f"{row['person']} on {row['host']}"


def whose(row: "Row") -> str:
    """Return the same in a sentence, such as `Mara's session on host-b`."""
    return f"{row['person']}'s session on {row['host']}" if row["trusted"] else f"a session that is {where(row)}"


def unchanged_for(row: "Row", path: str, now: float) -> float:
    """Return for how many seconds a session has not changed a file, as `age` counts them."""
    return age(row, now) + max(0.0, row["heard"] - row["files"][path])


def json_row(row: "Row", presence: str) -> "dict[str, object]":
    """Return a row with its presence as JSON gives it: times in UTC, "" when unknown."""
    times = ("started", "heard", "ended")
    hidden = {*times, "contact", "lag", "live", "files"}
    return {
        **{key: value for key, value in row.items() if key not in hidden},
        **{key: clock.write(row[key]) if row[key] else "" for key in times},  # type: ignore[literal-required]
        "files_touched": sorted(row["files"]),
        "presence": presence,
        "last_contact": clock.write(row["contact"]) if row["contact"] else "",
    }


def _object(name: str) -> str:
    """Return the name of an object of git, "" for any other text."""
    return name if len(name) in (40, 64) and not name.strip("0123456789abcdef") else ""


def _path(value: object) -> str:
    """Return a path relative to the root of a project, "" for any other text."""
    path = value if isinstance(value, str) else ""
    names = path.split("/")
    plain = path and len(path) <= _PATH and path.isprintable() and safe.line(path, _PATH) == path
    return path if plain and not {"", ".", "..", ".git"} & {name.casefold() for name in names} else ""


def _files(value: "dict[str, object]") -> dict[str, float]:
    return {path: _time(value, name) for name in [*value][:_FILES] if (path := _path(name))}


def _lines(value: "Mapping[str, object]", key: str) -> list[str]:
    texts = [safe.line(one, _TEXT) for one in list_of(value, key)[:_LIST] if isinstance(one, str)]
    return [one for one in texts if one]


def _time(value: "Mapping[str, object]", key: str) -> float:
    at = number_of(value, key)
    return at if 0 <= at < LATEST else 0.0
