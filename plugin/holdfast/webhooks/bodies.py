"""What is posted for an event: one form for programs, and those that chat services and Jira read.

- json: the payload that Standard Webhooks recommends (standardwebhooks.com): type, timestamp, data.
- slack: an incoming webhook (docs.slack.dev, "Sending messages using incoming webhooks"): `text`, in which & < > are
  written as entities.
- discord: `content` of at most 2,000 characters; `allowed_mentions` lets no text call people (docs.discord.com).
- ntfy: the text itself (docs.ntfy.sh/publish).
- jira: what an automation rule with an incoming webhook reads: `issues`, and `data` for its smart values.
"""

from holdfast.core import clock, fast_json
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.webhooks.events import Event

JSON, _SLACK, _DISCORD, _NTFY, _JIRA = "json", "slack", "discord", "ntfy", "jira"
TEMPLATES = (JSON, _SLACK, _DISCORD, _NTFY, _JIRA)
_MOST = 1800  # characters of a text for people
_JSON_TYPE, _TEXT_TYPE = "application/json", "text/plain; charset=utf-8"


def compose(event: "Event", template: str) -> str:
    """Return the body for an event, with secrets masked."""
    data = {name: safe.mask(value) for name, value in event.data.items() if value}
    if template == _NTFY:
        return _sentence(event.name, data)
    whole: dict[str, object]
    if template == _SLACK:
        escaped = _sentence(event.name, data).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        whole = {"text": escaped}
    elif template == _DISCORD:
        whole = {"content": _sentence(event.name, data), "allowed_mentions": {"parse": []}}
    elif template == _JIRA:
        whole = {"issues": [data["issue"]] if "issue" in data else [], "data": {"event": event.name, **data}}
    else:
        whole = {"type": event.name, "timestamp": clock.write(event.at, clock.ISO), "data": data}
    return fast_json.dumps(whole)


def words(name: str) -> str:
    """Return what an event is called for people, such as "waits for an answer"."""
    return _WORDS[name]


def content_type(template: str) -> str:
    """Return the media type of a template's bodies."""
    return _TEXT_TYPE if template == _NTFY else _JSON_TYPE


def _sentence(name: str, data: "dict[str, str]") -> str:
    """Return an event as a line for people, and what was said below it."""
    who = f"{data.get('project', '')}: {data.get('title') or data.get('session', '')[:8]}"
    text = data.get("text", "")
    return safe.clip(f"{who} - {_WORDS[name]}" + (f"\n{text}" if text else ""), _MOST)


_WORDS = {
    "session.started": "started",
    "session.waiting": "waits for an answer",
    "session.paused": "paused",
    "session.completed": "completed",
    "session.ended": "ended",
    "session.crashed": "crashed",
    "session.stale": "is open and was silent for long",
    "session.conflict": "edits a file that another session changed",
    "session.omitted": "was compacted, and the summary left things out",
    "session.drifted": "does what its state file does not say",
    "webhook.test": "this is a test",
}
