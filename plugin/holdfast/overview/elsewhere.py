"""What the board shows of sessions on other machines. All values are plain texts that are safe to print."""

from holdfast.core import clock
from holdfast.overview.details import Details
from holdfast.overview.watched import Row
from holdfast.sharing import others, rows
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.overview.watched import Watched
    from holdfast.sharing.rows import Row as Shared


def of(watched: "Watched") -> "dict[str, tuple[Row, Shared]]":
    """Return the open sessions of other machines, each as a row of the board and as it was shared, by key."""
    store, here = watched.project.store, [*watched.sessions.values()]
    known = others.shown(store, others.open_ones(store), here, ())
    return {row.key: (row, one) for one in known for row in [_row(watched, one)]}


def _row(watched: "Watched", one: "Shared") -> Row:
    root, now = watched.project.root, watched.workspace.now
    return Row(
        key=f"{root}\0elsewhere:{one['id']}",
        ident=one["id"],
        root=root,
        project=safe.line(root.rpartition("/")[2], 60),
        title=safe.line(f"{one['title']} ({rows.where(one)})", 200),
        group=rows.GROUP,
        status=one["status"],
        process=_presence(watched, one),
        last_active=now - rows.age(one, now),
        tasks=one["tasks"],
        files=len(one["files"]),
        branch=safe.line(one["branch"], 100),
    )


def _presence(watched: "Watched", one: "Shared") -> str:
    return others.presence(one, watched.workspace.settings, watched.workspace.now)


def details(watched: "Watched", row: Row, one: "Shared") -> Details:
    """Return all that is shown of one session."""
    now = watched.workspace.now
    facts = (
        ("Status", f"{one['status']}, {_presence(watched, one)}"),
        ("Where", rows.where(one)),
        ("Branch", one["branch"]),
        ("Commit", one["commit"][:12]),
        ("Contact", clock.ago(now - one["contact"])),
        ("State file", one["state"]),
        ("Uncommitted", ", ".join(one["uncommitted"])),
        ("Next", "; ".join(one["next"])),
    )
    return Details(
        row.key,
        safe.line(one["title"], 300),
        tuple((label, safe.line(text, 300)) for label, text in facts if text),
        percent=-1,
        zone=-1,
        notice=f"It is on another machine. To continue it here: holdfast resume {one['id']}",
        state="",
        tasks=tuple((text, "pending") for text in one["unfinished"]),
        loops=tuple((text, "open") for text in one["loops"]),
        files=tuple((path, now - rows.unchanged_for(one, path, now)) for path in one["files"]),
        children=tuple((text, "", "") for text in one["children"]),
        answer="",
        events=(),
    )
