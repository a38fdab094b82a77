"""What the files of the corpus are about."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Story:
    """One piece of work as a person would sum it up."""

    title: str
    status: str
    state: str
    next: list[str]
    decisions: list[str] = field(default_factory=list)
    blockers: list[str] = field(default_factory=list)
    day: str = "2026-03-02"


STORIES = (
    Story(
        "Price importer",
        "active",
        "The parser reads both currencies; totals come next.",
        ["Compare the totals with last month's", "Write the test for $25 weekly plans", "Ask Mia about rounding"],
        ["Rates are kept with their day", "One table for both reports"],
        ["The supplier's file for May is missing"],
    ),
    Story(
        "Search index (v2)",
        "waiting",
        "Half of the pages are indexed, and the rest waits for a larger disk.",
        ["Order the disk", "Index the rest with `make index`"],
        ["Words are cut at C:\\temp\\1, not before"],
        ["No disk before Friday", "The old index still answers"],
        day="2026-04-11",
    ),
    Story(
        "Größere Schrift für die App",
        "paused",
        "Die Vorschau ist fertig; die Einstellungen fehlen noch.",
        ["Einstellungen bauen", "Mit VoiceOver prüfen"],
        ["Keine eigene Schrift"],
        ["Das Gerät zum Testen fehlt"],
        day="2026-01-30",
    ),
    Story(
        "Login without passwords",
        "completed",
        "Everything is merged and in use.",
        ["Remove the old page in June"],
        ["Links live for ten minutes", "Mail goes through the queue | never directly", "No SMS"],
        ["Mail to one provider is slow"],
        day="2025-12-24",
    ),
)
