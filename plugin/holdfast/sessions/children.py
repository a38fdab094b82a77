"""The description of a subagent, which the journal of its session does not have."""

from holdfast.core import fast_json
from holdfast.core.fast_json import text_of
from holdfast.journal.session import Child, Recorded


def description(session: Recorded, child: Child) -> str:
    """Return the task of a subagent, which Claude Code writes beside the subagent's transcript; "" without one."""
    inside = f"{session.transcript.removesuffix('.jsonl')}/subagents/agent-{child.id}.jsonl"
    for transcript in (child.transcript, inside):
        found = fast_json.read_object(transcript.removesuffix(".jsonl") + ".meta.json")
        if found:
            return text_of(found, "description")
    return ""
