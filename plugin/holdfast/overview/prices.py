"""What requests cost at list prices, in US dollars.

The table is that of https://platform.claude.com/docs/en/about-claude/pricing, section "Model pricing", as it was
read on `DATE`, without discounts, surcharges and subscriptions. `[prices]` in the settings overrides it by model.
"""

from holdfast.core.errors import HoldfastError
from holdfast.project import paths
from holdfast.project.settings import settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.journal.transcript import Usage
    from holdfast.sessions.workspace import Workspace

    Price = tuple[float, ...]

DATE = "2026-11-23"
_MILLION = 1_000_000
_PARTS = 5
# Dollars for a million tokens: input, input written to the cache for 5 minutes and for 1 hour, cache read, output.
_OPUS, _OLD_OPUS = (5.0, 6.25, 10.0, 0.5, 25.0), (15.0, 18.75, 30.0, 1.5, 75.0)
_SONNET = (3.0, 3.75, 6.0, 0.3, 15.0)
PRICES: "dict[str, Price]" = {
    "claude-fable-5-1": (10.0, 12.5, 20.0, 0.25, 50.0),
    "claude-fable-5": (10.0, 12.5, 20.0, 1.0, 50.0),
    **dict.fromkeys(
        ("claude-opus-5", "claude-opus-4-8", "claude-opus-4-7", "claude-opus-4-6", "claude-opus-4-5"), _OPUS
    ),
    **dict.fromkeys(("claude-opus-4-1", "claude-opus-4"), _OLD_OPUS),
    **dict.fromkeys(("claude-sonnet-4-6", "claude-sonnet-4-5", "claude-sonnet-4"), _SONNET),
    "claude-haiku-4-5": (1.0, 1.25, 2.0, 0.1, 5.0),
}


def in_force(workspace: "Workspace") -> "dict[str, Price]":
    """Return the prices by the name of the model; HoldfastError for one in the settings that cannot be used."""
    if workspace.settings_problem:
        return PRICES
    given = settings.own(workspace.project.target.root, workspace.cache).get("prices", {})
    if not isinstance(given, dict):
        raise HoldfastError(
            f"{paths.SETTINGS}: prices is not a table. Write [prices] and a line for each model below it."
        )
    return {**PRICES, **{str(model): _price(str(model), value) for model, value in given.items()}}


def _price(model: str, value: object) -> "Price":
    """Return a price of the settings."""
    numbers = value if isinstance(value, list) else []
    if len(numbers) != _PARTS or any(type(each) not in (int, float) or not 0 <= each < _MILLION for each in numbers):
        example = "[5, 6.25, 10, 0.5, 25]"
        raise HoldfastError(
            f"{paths.SETTINGS}: the price of {model[:60]!r} is not five numbers: dollars for a million tokens of "
            f"input, 5-minute and 1-hour cache writes, cache reads and output, such as {example}."
        )
    return tuple(map(float, numbers))


def name_of(model: str) -> str:
    """Return the name of a model without the mark of the large window and without a date."""
    name = model.partition("[")[0]
    rest, _, last = name.rpartition("-")
    return rest if len(last) == len("20251101") and last.isdecimal() else name


def cost(usage: "Usage", prices: "dict[str, Price]") -> float | None:
    """Return the dollars that a request costs, None for a model without a price."""
    price = prices.get(name_of(usage.model))
    if price is None:
        return None
    hourly = min(usage.hourly, usage.written)
    counts = (usage.fresh, usage.written - hourly, hourly, usage.cached, usage.output)
    return sum(count * each for count, each in zip(counts, price, strict=True)) / _MILLION
