"""The words for the status of a session's work, which `sessions.status` computes."""

ACTIVE, WAITING, PAUSED, COMPLETED, DROPPED, ENDED = "active", "waiting", "paused", "completed", "dropped", "ended"
STATUSES = (ACTIVE, WAITING, PAUSED, COMPLETED, DROPPED, ENDED)
OVER = frozenset({COMPLETED, DROPPED, ENDED})  # nothing is left to do
