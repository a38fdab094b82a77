"""What is known of a subagent beside the journal of its session."""

from holdfast.core import fast_json
from holdfast.journal.session import Child, Recorded, text_of


def description(session: Recorded, child: Child) -> str:
    """Return what a subagent was called to do, as Claude Code notes it beside the subagent's transcript."""
    inside = f"{session.transcript.removesuffix('.jsonl')}/subagents/agent-{child.id}.jsonl"
    for transcript in (child.transcript, inside):
        found = fast_json.read_object(transcript.removesuffix(".jsonl") + ".meta.json")
        if found:
            return text_of(found, "description")
    return ""
