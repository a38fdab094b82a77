"""The token budget: how full a session's context is, in which zone that is, and the texts that say so."""

import os

from holdfast.core import files
from holdfast.journal import log, transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.journal.payload import Payload
    from holdfast.journal.transcript import Usage
    from holdfast.project.paths import Project
    from holdfast.project.settings import Settings

HERE = " ← YOU ARE HERE"
_SMALL, _LARGE = 200_000, 1_000_000
_FIRST_LARGE = (4, 7)  # from this version on, Claude models have the large window by default
_LARGE_MARK = "[1m]"
_NO_LARGE = "CLAUDE_CODE_DISABLE_1M_CONTEXT"  # the client's own switch
_RANGE = r"(?<![\d.])(\d{1,3})\s?%?\s?(?:[-\u2013]\s?\d{1,3}\s?%|%?\s?\+)"  # such as 20-40%, 50%+
_REPORTED = "/zones/"  # a file for each session in which a zone was reported to Claude


class Zone:
    """One zone of the scale: its sign, name, hint of a word or two, and strategy; `label` joins the first three."""

    def __init__(self, sign: str, name: str, hint: str, strategy: str) -> None:
        self.sign, self.name, self.hint, self.strategy = sign, name, hint, strategy
        self.label = f"{sign} {name.capitalize()} ({hint})"


ZONES = (
    Zone("🟢", "comfortable", "exploratory", "Exploratory loading, nothing to save yet"),
    Zone("🟡", "deliberate", "focused", "Focused loading, justify additions"),
    Zone("🟠", "warning", "reduce context", "Avoid loading more, seek exclusions"),
    Zone("🔴", "stop", "must exclude", "Exclude before anything more is loaded"),
)


class Budget:
    """The usage of a context window; `origin` names the source of its size, `zones` where zones begin."""

    def __init__(self, usage: "Usage", window: int, zones: "Sequence[int]" = (20, 40, 50), origin: str = "") -> None:
        self.usage = usage
        self.window = window
        self.zones = zones
        self.origin = origin

    @property
    def used(self) -> int:
        """How many tokens the context holds."""
        return self.usage.used

    @property
    def percent(self) -> int:
        """The percentage of the window that is used, rounded down."""
        return self.used * 100 // self.window

    @property
    def zone(self) -> int:
        """The number of the zone, 0 for comfortable to 3 for stop."""
        return sum(self.percent >= begin for begin in self.zones)


def of(path: str, settings: "Settings") -> Budget | None:
    """Return the budget of the session with this transcript, None when its usage is not known, or says nothing."""
    usage = transcript.usage(path)
    return _budget(usage, settings) if usage and usage.used else None


def _budget(usage: "Usage", settings: "Settings") -> Budget:
    window, origin = window_of(usage.model, settings, usage.used)
    return Budget(usage, window, settings.zones, origin)


def window_of(model: str, settings: "Settings", used: int = 0) -> "tuple[int, str]":
    """Return how many tokens the context of a model holds, and the source of that number.

    The setting takes precedence. Without it the window is large for a name with the mark of the large window and for
    Claude models that have it by default, unless the client's own switch forbids that; else it is small. After a
    request that was larger than the small window, the window is the large one: an older client leaves the mark out of
    its transcript.
    """
    if settings.window_tokens:
        return settings.window_tokens, "the setting window_tokens"
    if used > _SMALL:
        return _LARGE, "a request that was larger than the small one"
    if os.environ.get(_NO_LARGE, "").lower() in ("1", "true", "yes", "on"):
        return _SMALL, _NO_LARGE
    large = model.endswith(_LARGE_MARK) or _version(model) >= _FIRST_LARGE
    is_known = large or bool(_version(model))
    return (_LARGE if large else _SMALL), "the model's name" if is_known else "nothing but an assumption"


def _version(model: str) -> "tuple[int, ...]":
    """Return the version in the name of a Claude model, such as (4, 5); () for other names; a date does not count."""
    _, claude, rest = model.partition("claude-")
    words = rest.replace(".", "-").replace("@", "-").split("-") if claude else []
    return tuple(int(word) for word in words if word.isdecimal() and len(word) < 3)


def status(budget: Budget) -> str:
    """Return how much is used, in a line such as `1850 / 5000 tokens (37%) - deliberate`."""
    return f"{budget.used} / {budget.window} tokens ({budget.percent}%) - {ZONES[budget.zone].name}"


def phase(budget: Budget) -> str:
    """Return the zone with its sign and range, such as `🟡 Deliberate zone (20-40%)`."""
    zone = ZONES[budget.zone]
    return f"{zone.sign} {zone.name.capitalize()} zone ({_ranges(budget.zones)[budget.zone]})"


def strategy(budget: Budget) -> str:
    """Return the strategy for the zone."""
    return ZONES[budget.zone].strategy


def scale(budget: Budget | None, zones: "Sequence[int]") -> list[str]:
    """Return the zones as items of a list, without bullets; the item of the budget's zone says YOU ARE HERE."""
    here = budget.zone if budget else -1
    items = [f"{share} {zone.label}" for share, zone in zip(_ranges(zones), ZONES, strict=True)]
    return [item + HERE if number == here else item for number, item in enumerate(items)]


def _ranges(zones: "Sequence[int]") -> list[str]:
    """Return the range of each zone, the last one open."""
    begins = [0, *zones]
    return [f"{begin}-{end}%" for begin, end in zip(begins, zones, strict=False)] + [f"{begins[-1]}%+"]


def zones_in(text: str) -> "tuple[int, ...]":
    """Return where the zones after the first begin, as a list or table of all of them says; () without one."""
    import re  # the status line does without

    begins: dict[str, int] = {}
    for line in text.splitlines():
        words, ranges = line.casefold(), re.findall(_RANGE, line)
        name = next((zone.name for zone in ZONES if re.search(rf"\b{zone.name}\b", words)), "")
        if name and len(ranges) == 1:
            begins.setdefault(name, int(ranges[0]))
    percents = tuple(begins.get(zone.name, -1) for zone in ZONES[1:])
    return percents if list(percents) == sorted({*percents}) and percents[0] > 0 and percents[-1] <= 100 else ()


def own_item(text: str) -> str:
    """Return the name of the zone that an item of a list describes, "" for any other item.

    The range may be any; sign, hint and YOU ARE HERE may be missing, signs damaged. An item with another word is a
    person's own.
    """
    label = _label(text)
    return next(
        (zone.name for zone in ZONES if label in {zone.name.capitalize(), f"{zone.name.capitalize()} ({zone.hint})"}),
        "",
    )


def named_zone(text: str) -> str:
    """Return the name of the zone that an item of a list begins with, whoever worded the rest; "" for none."""
    word = _label(text).partition(" ")[0].strip(":,.*").lower()
    return next((zone.name for zone in ZONES if zone.name == word), "")


def _label(text: str) -> str:
    """Return the words after the range of an item, without bullet, signs and YOU ARE HERE; "" without a range."""
    share, _, words = text.strip().lstrip("-*+ ").partition(" ")
    if not _is_range(share):
        return ""
    return _without_signs(_without_signs(words).removesuffix(HERE.split(maxsplit=1)[1]))


def _without_signs(text: str) -> str:
    """Return a text without emoji and arrows at its ends, also as a wrong encoding or question marks left them."""
    kept = [at for at, char in enumerate(text) if "!" <= char <= "~" and char != "?"]
    return text[kept[0] : kept[-1] + 1] if kept else ""


def _is_range(text: str) -> bool:
    """Whether a text is a range of percentages: 0-20%, 20%-40%, 50%+."""
    bounds = text.removesuffix("+").replace("%", "").split("-")
    return "%" in text and len(bounds) <= 2 and all(bound.isdecimal() for bound in bounds)


def crossed(before: int, budget: Budget) -> str:
    """Return the message to Claude when the zone is worse than `before`; "" when it is not."""
    if budget.zone <= before:
        return ""
    asked = strategy(budget)
    return (
        f"The context holds {budget.used:,} of {budget.window:,} tokens ({budget.percent}%): "
        f"the {ZONES[budget.zone].name} zone. Strategy of this project: {asked[0].lower()}{asked[1:]}."
    )


def at_prompt(body: "Payload", project: "Project", settings_loader: "Callable[[], Settings]") -> str:
    """Return the message to Claude at a prompt: the zone is worse than the one reported last; "" otherwise."""
    usage = transcript.usage(body.text("transcript_path")) if project.store and body.session else None
    if not usage:
        return ""
    budget, before = _budget(usage, settings_loader()), reported_zone(project.store, body.session)
    noted = budget.zone == before or _noted(project.store, body.session, budget.zone)
    return crossed(before, budget) if noted else ""  # without the note, every prompt would repeat the message


def _noted(store: str, session: str, zone: int) -> bool:
    """Store and journal the zone that a session is in now; return whether it is stored."""
    kept = set_reported_zone(store, session, zone)
    if kept:
        log.append(store, session, {"kind": "zone", "zone": zone})
    return kept


def reported_zone(store: str, session: str) -> int:
    """Return the number of the zone reported to Claude last, or of a better one reached since then; 0 for none."""
    kept = files.read_or_none(store + _REPORTED + session)
    return int(kept) if kept and kept in (b"1", b"2", b"3") else 0


def set_reported_zone(store: str, session: str, zone: int) -> bool:
    """Store the number of the zone that a session is in; return whether that worked."""
    path = store + _REPORTED + session
    if zone:
        return not os.path.islink(path) and files.write_quietly(path, b"%d" % zone)
    files.unlink_quietly(path)
    return not os.path.lexists(path)
