"""Recent Updates: new entries, and which ones leave for them. What leaves is kept in the ledger, for `holdfast log`.

An entry leaves if it reads as an update, as holdfast and the format's document word it: what happened to a task, a
plan, a loop, a phase or a file. A person's own remark stays.
"""

import re
from collections import Counter

from holdfast.core import clock
from holdfast.editing.requests import Request
from holdfast.memory import ledger
from holdfast.memory.view import UPDATES, View, timed_entries
from holdfast.trust import safe

NEWEST = 5  # entries of Recent Updates
_LONGEST = 20_000  # characters of an entry; a text that a person types is never so long
_VERBS = (
    "Added|Approved|Asked for changes to|Closed|Completed|Created|Excluded|Explored|Exploring|Loaded|Presented|"
    "Rejected|Removed|Reopened|Skipped|Started|Updated"
)
_UPDATE = re.compile(
    rf"(?:{_VERBS}) (?:[A-Z]{{2,}}-\d+|[\w./-]+\.md)\b"
    r"|(?:Completed|Began) phase |Skipped from |Forked into discussion: |Returned from discussion: "
    r"|Crossed into the \w+ zone |(?:Continued|Halted|Paused|Completed) the session|Created this file$"
)


def entry(line: str, minute: str) -> Request:
    """Return the request for a new entry, at a minute in UTC ("" for now)."""
    return Request((UPDATES,), items=[safe.line(line, _LONGEST)], minute=minute, most=NEWEST, gone=_is_update)


def _is_update(_minute: str, text: str) -> bool:
    return bool(_UPDATE.match(text))


def keep_left(path: str, before: View, after: View) -> None:
    """Keep the entries that have just left a state file; the caller holds the lock."""
    for minute, text in Counter(timed_entries(before.record)) - Counter(timed_entries(after.record)):
        ledger.note(path, {"kind": "left", "text": text, "since": clock.find(minute)})
