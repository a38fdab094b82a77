"""The agents that a state file lists in its frontmatter (formats/agents-sessions.md: `spawned_agents`)."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.markdown.metadata import Metadata

PATH = "orchestration.spawned_agents"
KEYS = ("agent", "task", "status", "summary")
PENDING, RUNNING, COMPLETED = "pending", "in_progress", "completed"


def rows(metadata: "Metadata") -> list[dict[str, str]]:
    """Return each listed agent with all four keys, "" for one that is not there."""
    group = metadata.values.get(PATH.partition(".")[0])
    listed = group.get(PATH.partition(".")[2]) if isinstance(group, dict) else None
    known = [row for row in listed if isinstance(row, dict)] if isinstance(listed, list) else []
    return [{key: text if isinstance(text := row.get(key), str) else "" for key in KEYS} for row in known]


def others(listed: object, types: "Iterable[str]") -> "list[dict[str, str]]":
    """Return the listed agents that are of none of these types, from the `agents` of a summary."""
    known = set(types)
    return [row for row in listed if row["agent"] not in known] if isinstance(listed, list) else []
