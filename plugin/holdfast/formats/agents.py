"""The agents that a state file lists in its frontmatter (formats/agents-sessions.md: `spawned_agents`)."""

from holdfast.core.fast_json import rows_of, table_of, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.markdown.metadata import Metadata

PATH = "orchestration.spawned_agents"
KEYS = ("agent", "task", "status", "summary")
PENDING, RUNNING, COMPLETED = "pending", "in_progress", "completed"


def rows(metadata: "Metadata") -> list[dict[str, str]]:
    """Return each listed agent with all four keys, "" for one that is not there."""
    group, _, inside = PATH.partition(".")
    return [{key: text_of(row, key) for key in KEYS} for row in rows_of(table_of(metadata.values, group), inside)]


def others(listed: object, types: "Iterable[str]") -> "list[dict[str, str]]":
    """Return the listed agents that are of none of these types, from the `agents` of a summary."""
    known = set(types)
    return [row for row in listed if row["agent"] not in known] if isinstance(listed, list) else []
