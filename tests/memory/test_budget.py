"""The token budget: windows, zones and their words, what Claude learns of them once, and the command."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.cache import Cache
from holdfast.core.errors import HoldfastError
from holdfast.journal.payload import Payload
from holdfast.journal.transcript import Usage
from holdfast.memory import budget
from holdfast.memory.budget import Budget
from holdfast.project import paths, settings
from holdfast.project.settings import Settings
from tests.journal.test_transcript import answer, boundary, user
from tests.support import hooks

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
SMALL, LARGE = 200_000, 1_000_000
# What the newest client takes the windows of these to be; names of others are small to be on the safe side.
WINDOWS = {
    **dict.fromkeys(
        ["claude-opus-4-8", "claude-opus-4-7", "claude-sonnet-5", "claude-opus-5", "claude-fable-5"], LARGE
    ),
    **dict.fromkeys(["claude-opus-5-5", "claude-haiku-5-5", "us.anthropic.claude-opus-5-5-v1:0"], LARGE),
    **dict.fromkeys(["claude-opus-4-6[1m]", "claude-sonnet-4-5[1m]", "foo[1m]", "claude-opus-4-8@20260401"], LARGE),
    **dict.fromkeys(["claude-opus-4-6", "claude-opus-4-5", "claude-opus-4-1", "claude-sonnet-4-20250514"], SMALL),
    **dict.fromkeys(["claude-haiku-4-5-20251001", "claude-sonnet-4-5@20250929", "claude-3-7-sonnet-20250219"], SMALL),
    **dict.fromkeys(["us.anthropic.claude-sonnet-4-5-v1:0", "claude-2.1", "claude-", "gpt-9", "[1m]x", ""], SMALL),
}
# Used of 5000 tokens with the zones of the format: what the section says.
SECTION = """\
**Status:** 1850 / 5000 tokens (37%) - deliberate
**Phase:** 🟡 Deliberate zone (20-40%)
**Strategy:** Focused loading, justify additions

- 0-20% 🟢 Comfortable (exploratory)
- 20-40% 🟡 Deliberate (focused) ← YOU ARE HERE
- 40-50% 🟠 Warning (reduce context)
- 50%+ 🔴 Stop (must exclude)
"""


def chosen(**values: Any) -> Settings:
    """Return settings of which some are not the default."""
    found = Settings()
    for name, value in values.items():
        setattr(found, name, value)
    return found


def holding(used: int, window: int = 5000) -> Budget:
    """Return the budget of a context that holds so many tokens."""
    return Budget(Usage(fresh=used), window)


@pytest.mark.parametrize("model", WINDOWS)
def test_the_window_is_known_by_the_models_name(model: str) -> None:
    """The mark, or the version, makes it large; the setting counts before, the client's switch too, use shows more."""
    assert budget.window_of(model, Settings())[0] == WINDOWS[model]
    assert budget.window_of(model, Settings(), SMALL)[0] == WINDOWS[model]
    assert budget.window_of(model, Settings(), SMALL + 1)[0] == LARGE
    assert budget.window_of(model, chosen(window_tokens=5000), 10**7)[0] == 5000


@pytest.mark.parametrize(("word", "small"), [("1", 1), ("true", 1), ("0", 0), ("", 0)])
def test_the_clients_switch_forbids_the_large_window(monkeypatch: pytest.MonkeyPatch, word: str, small: int) -> None:
    """Where a setting of the client turns the large window off, no name gives one; a larger request still does."""
    monkeypatch.setenv("CLAUDE_CODE_DISABLE_1M_CONTEXT", word)
    assert budget.window_of("claude-opus-5-5", Settings())[0] == (SMALL if small else LARGE)
    assert budget.window_of("claude-opus-5-5", Settings(), SMALL + 1)[0] == LARGE
    assert budget.window_of("claude-opus-5-5", chosen(window_tokens=LARGE * 2))[0] == LARGE * 2


@pytest.mark.parametrize(
    ("used", "percent", "zone"),
    [
        (0, 0, 0),
        (999, 19, 0),
        (1000, 20, 1),
        (1999, 39, 1),
        (2000, 40, 2),
        (2499, 49, 2),
        (2500, 50, 3),
        (9999, 199, 3),
    ],
)
def test_a_zone_begins_at_its_percentage(used: int, percent: int, zone: int) -> None:
    """Percentages are rounded down, and a zone begins at its own; there may be more in use than the window holds."""
    found = holding(used)
    assert (found.used, found.percent, found.zone) == (used, percent, zone)


def test_the_section_reads_as_the_format_has_it() -> None:
    """Status, phase, strategy and scale are those of the format's own example."""
    found = holding(1850)
    head = {"Status": budget.status(found), "Phase": budget.phase(found), "Strategy": budget.strategy(found)}
    lines = [f"**{label}:** {stated}" for label, stated in head.items()]
    assert "\n".join([*lines, "", *(f"- {item}" for item in budget.scale(found, found.zones)), ""]) == SECTION


@pytest.mark.parametrize("zone", range(4))
def test_each_zone_has_its_words(zone: int) -> None:
    """With zones of one's own the words stay, and the ranges are one's own."""
    found = Budget(Usage(fresh=(10, 35, 65, 90)[zone]), 100, (30, 60, 80))
    ranges = ("0-30%", "30-60%", "60-80%", "80%+")
    name = ("comfortable", "deliberate", "warning", "stop")[zone]
    assert budget.status(found) == f"{found.used} / 100 tokens ({found.used}%) - {name}"
    assert budget.phase(found) == f"{'🟢🟡🟠🔴'[zone]} {name.capitalize()} zone ({ranges[zone]})"
    assert [item.endswith(budget.HERE) for item in budget.scale(found, found.zones)] == [n == zone for n in range(4)]
    assert [item.split()[0] for item in budget.scale(None, found.zones)] == list(ranges)
    assert not any(budget.HERE in item for item in budget.scale(None, found.zones))


@given(
    used=st.integers(0, 10**7),
    window=st.integers(1000, 10**7),
    zones=st.lists(st.integers(1, 99), min_size=3, max_size=3, unique=True).map(sorted),
)
def test_every_item_that_is_written_is_known_again(used: int, window: int, zones: list[int]) -> None:
    """Whatever the zones, each item of the scale is known by the zone that it stands for, once."""
    items = budget.scale(Budget(Usage(fresh=used), window, zones), zones)
    names = ["comfortable", "deliberate", "warning", "stop"]
    assert [budget.own_item(item) for item in items] == names
    assert [budget.own_item(f"  {item} ") for item in items] == names
    assert sum(budget.HERE in item for item in items) == 1


FOREIGN = [
    *("", "  ", "←", "← YOU ARE HERE", "20-40%", "20-40% 🟡", "🟡 Deliberate (focused)", "% 🟡 Deliberate (focused)"),
    *("20-40 🟡 Deliberate (focused)", "20-40-60% 🟡 Deliberate (focused)", "-% 🟡 Deliberate (focused)"),
    *("20-40% 🟡 Deliberate (focused) mind the tests",),
    *("about 20-40% 🟡 Deliberate (focused)", "20-40% 🟡 Deliberate (focused) ← YOU WERE HERE", "20-40% of the tests"),
]


@pytest.mark.parametrize("item", FOREIGN)
def test_any_other_item_is_somebodys_own(item: str) -> None:
    """An item with another word or no range is not the scale's."""
    assert budget.own_item(item) == ""


@pytest.mark.parametrize("share", ["0-20%", "20%-40%", "7%+", "100%", "000-1%+"])
def test_any_range_will_do(share: str) -> None:
    """The zones may have been others when an item was written."""
    assert budget.own_item(f"{share} 🔴 Stop (must exclude)") == "stop"
    assert budget.own_item(f"{share}  🔴 Stop (must exclude)  ← YOU ARE HERE") == "stop"


def test_claude_gets_a_fact_when_the_zone_got_worse() -> None:
    """One sentence with the numbers and the strategy, when the zone is worse than the one before; else none."""
    found = holding(88_000, SMALL)
    assert budget.crossed(1, found) == (
        "The context holds 88,000 of 200,000 tokens (44%): the warning zone. "
        "Strategy of this project: avoid loading more, seek exclusions."
    )
    assert [bool(budget.crossed(before, found)) for before in range(4)] == [True, True, False, False]


class Prompts:
    """A session that is asked something again and again, with a transcript that a test writes."""

    def __init__(self, folder: Path) -> None:
        (folder / ".git").mkdir()
        (folder / ".git/HEAD").write_text("ref: refs/heads/main\n")
        self.place = paths.locate(str(folder))
        self.path = folder / "t.jsonl"
        self.loaded = 0

    def at(self, *lines: bytes, session: str = "one", **values: Any) -> str:
        """Return what is reported at a prompt when the transcript has these lines, with these settings."""
        self.path.write_bytes(b"\n".join(lines))
        body = Payload({"session_id": session, "transcript_path": str(self.path)})

        def load() -> Settings:
            self.loaded += 1
            return chosen(window_tokens=1000, **values)

        return budget.at_prompt(body, self.place, load)

    def zone(self, used: int, **values: Any) -> str:
        """Return the name of the zone that is reported when so much of 1000 tokens is used."""
        stated = self.at(answer(used, 0, 0), **values)
        return stated.partition(": the ")[2].partition(" zone")[0]


@pytest.fixture
def prompts(tmp_path: Path) -> Prompts:
    """Give a session in a git repository."""
    return Prompts(tmp_path)


def test_a_worse_zone_is_reported_once(prompts: Prompts) -> None:
    """Each zone is reported when it is entered, never again while it lasts, and again after the context was smaller."""
    used = [10, 250, 300, 399, 410, 350, 390, 420, 600, 700, 100, 150, 600]
    reported = ["", "deliberate", "", "", "warning", "", "", "warning", "stop", "", "", "", "stop"]
    assert [prompts.zone(each) for each in used] == reported
    assert prompts.at(answer(600, 0, 0), session="two").startswith("The context holds 600 of 1,000 tokens (60%)")
    assert prompts.zone(600) == ""


def test_after_a_compaction_a_zone_is_reported_again(prompts: Prompts) -> None:
    """What the compaction left counts; where it does not say, nothing is reported and nothing forgotten."""
    full = answer(600, 0, 0)
    assert prompts.at(full)
    assert prompts.at(full, boundary(preTokens=600)) == ""
    assert prompts.at(full) == ""
    assert prompts.at(full, boundary(postTokens=30)) == ""
    assert "stop zone" in prompts.at(full, boundary(postTokens=30), user(), full)


def test_other_zones_are_reported_by_the_settings(prompts: Prompts) -> None:
    """With zones of its own a project gets reports at its own marks, be they changed while a session runs."""
    assert prompts.zone(600, zones=(70, 80, 90)) == ""
    assert prompts.zone(600, zones=(50, 80, 90)) == "deliberate"
    assert prompts.zone(600) == "stop"


def test_where_nothing_is_known_nothing_is_read(prompts: Prompts) -> None:
    """Without a transcript or an answer, a session or a place to keep anything, settings are not even loaded."""
    assert prompts.at(user()) == ""
    assert prompts.at(answer(600, 0, 0), session="../x") == ""
    nowhere = paths.Project("/tmp", "", "", "")  # noqa: S108 - nothing is written there
    body = Payload({"session_id": "one", "transcript_path": str(prompts.path)})
    for reported, place in (
        (body, nowhere),
        (Payload({"session_id": "one"}), prompts.place),
        (Payload({}), prompts.place),
    ):
        assert budget.at_prompt(reported, place, Settings) == ""
    assert prompts.loaded == 0
    assert not os.path.exists(prompts.place.store)


@pytest.mark.parametrize("kept", [b"", b"9", b"-1", b"stop", b"\xff", b"1\n"])
def test_what_was_kept_and_is_none_is_zone_zero(prompts: Prompts, kept: bytes) -> None:
    """A file that was cut short or made by somebody else is as good as none, and mended by the next note."""
    path = prompts.place.store + "/zones/one"
    os.makedirs(os.path.dirname(path))
    with open(path, "wb") as file:
        file.write(kept)
    assert budget.reported_zone(prompts.place.store, "one") == 0
    assert prompts.zone(250) == "deliberate"
    assert budget.reported_zone(prompts.place.store, "one") == 1


def test_what_cannot_be_kept_is_not_reported(prompts: Prompts, tmp_path: Path) -> None:
    """Where the zone cannot be noted, telling it at every prompt would be worse than silence; no link is followed."""
    folder = tmp_path / ".git/holdfast"
    folder.mkdir()
    (folder / "zones").touch()
    assert prompts.zone(600) == ""
    (folder / "zones").unlink()
    (folder / "zones").mkdir()
    (tmp_path / "elsewhere").write_text("mine")
    (folder / "zones/one").symlink_to(tmp_path / "elsewhere")
    assert prompts.zone(600) == ""
    assert (tmp_path / "elsewhere").read_text() == "mine"


def test_no_file_is_kept_while_all_is_well(prompts: Prompts) -> None:
    """A comfortable session leaves nothing behind, and one that came down to it takes its file away."""
    assert prompts.zone(10) == ""
    assert not os.path.exists(prompts.place.store)
    assert prompts.zone(600) == "stop"
    assert os.listdir(prompts.place.store + "/zones") == ["one"]
    assert [prompts.zone(10), prompts.zone(10)] == ["", ""]
    assert os.listdir(prompts.place.store + "/zones") == []


GOOD = [
    ("window_tokens = 0", {}, 0, (20, 40, 50)),
    ("window_tokens = 1000", {}, 1000, (20, 40, 50)),
    ("window_tokens = 10000000", {"HOLDFAST_WINDOW_TOKENS": " 5000 "}, 5000, (20, 40, 50)),
    ("window_tokens = 5000", {"HOLDFAST_WINDOW_TOKENS": "0"}, 0, (20, 40, 50)),
    ("zones = [1, 2, 99]", {}, 0, (1, 2, 99)),
    ("zones = [1, 2, 99]", {"HOLDFAST_ZONES": " 10, 20 ,30"}, 0, (10, 20, 30)),
]


@pytest.mark.parametrize(("text", "variables", "window", "zones"), GOOD)
def test_window_and_zones_can_be_chosen(
    tmp_path: Path, text: str, variables: dict[str, str], window: int, zones: tuple[int, ...]
) -> None:
    """In the file and in the variables over it."""
    (tmp_path / ".agents").mkdir()
    (tmp_path / ".agents/holdfast.toml").write_text(text)
    found = settings.load(str(tmp_path), variables, Cache(""))
    assert (found.window_tokens, found.zones) == (window, zones)


ZONES_WANTED = "give 3 whole numbers from 1 to 99, each larger than the one before: [20,40,50] in the file, "
WINDOW_WANTED = "give a whole number from 1000 to 10000000, or 0."
BAD = [
    *((f"window_tokens = {value}", WINDOW_WANTED) for value in (999, 10_000_001, -1, "true", "false", "'1000'", "0.0")),
    *((f"zones = {value}", ZONES_WANTED) for value in ([], [20, 40], [20, 40, 50, 60], [0, 40, 50], [20, 40, 100])),
    *((f"zones = {value}", ZONES_WANTED) for value in ([40, 20, 50], [20, 20, 50], 20, "'20,40,50'", "[20, 40, true]")),
    *((f"zones = {value}", ZONES_WANTED) for value in ("[20, 40, 50.5]", "[20, '40', 50]", "[20, [40], 50]")),
]


@pytest.mark.parametrize(("text", "wanted"), BAD)
def test_what_does_not_fit_is_named(tmp_path: Path, text: str, wanted: str) -> None:
    """The error names the file, the key and what would do."""
    path = tmp_path / ".agents/holdfast.toml"
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(HoldfastError) as caught:
        settings.load(str(tmp_path), {}, Cache(""))
    assert str(caught.value).startswith(f"{path}: {text.partition(' ')[0]} = ")
    assert wanted in str(caught.value)


@pytest.mark.parametrize("value", ["", "20,40", "20,40,x", "50,40,20", "20;40;50"])
def test_a_variable_that_does_not_fit_is_named(tmp_path: Path, value: str) -> None:
    """The same for the variable."""
    with pytest.raises(HoldfastError, match=r"^HOLDFAST_ZONES: zones = .* does not fit; give 3 whole numbers"):
        settings.load(str(tmp_path), {"HOLDFAST_ZONES": value}, Cache(""))


def started(project: Project, session: str, *lines: bytes) -> Path:
    """Start a session whose transcript has these lines, and return where it lies."""
    path = project.home / f"{session}.jsonl"
    if lines:
        path.write_bytes(b"\n".join(lines))
    project.fire("SessionStart", session, transcript_path=str(path))
    project.fire("UserPromptSubmit", session, transcript_path=str(path))
    return path


def test_the_command_shows_the_budget_of_the_only_live_session(prepared: Project) -> None:
    """Status, phase, strategy, scale, and what the tokens are."""
    started(prepared, "one", answer(1000, 150, 700, 12, model="claude-sonnet-4-5"))
    done = prepared.cli("budget", HOLDFAST_WINDOW_TOKENS="5000")
    assert (done.code, done.err) == (0, "")
    stated = SECTION.replace("**Status:** ", "").replace("**Phase:** ", "").replace("**Strategy:** ", "")
    assert done.out == stated + (
        "\nFresh input: 1000\nCache read: 700\nCache write: 150\nOutput of the last answer: 12\n"
        "Model: claude-sonnet-4-5\nWindow: 5000 tokens, known by the setting window_tokens\n"
        "Session: parse the invoices (one)\n"
    )


def test_the_command_gives_json(prepared: Project) -> None:
    """The same for programs."""
    path = started(prepared, "one", answer(1000, 150, 700, 12, model="claude-sonnet-4-5"))
    assert json.loads(prepared.cli("budget", "--json").out) == {
        "id": "one",
        "title": "parse the invoices",
        "used": 1850,
        "window": 200_000,
        "window_known_by": "the model's name",
        "percent": 0,
        "zone": "comfortable",
        "strategy": "Exploratory loading, nothing to save yet",
        "zones": [20, 40, 50],
        "fresh": 1000,
        "cache_read": 700,
        "cache_write": 150,
        "output": 12,
        "compacted": False,
        "model": "claude-sonnet-4-5",
        "at": "2026-11-21T20:30:48.513Z",
        "transcript": str(path),
    }


def test_the_command_after_a_compaction(prepared: Project) -> None:
    """What the compaction left, of which no parts are known."""
    started(prepared, "one", answer(90_000), boundary(postTokens=584))
    stated = prepared.cli("budget").out
    assert stated.startswith("584 / 1000000 tokens (0%) - comfortable\n")
    assert "what the compaction left" in stated
    assert "Fresh input" not in stated


def test_which_session_is_meant(prepared: Project) -> None:
    """The one that is named, else the one that asks, the only live one, or the most recent one, which is named."""
    for number, name in enumerate(("one", "two"), 1):
        started(prepared, name, answer(number, 0, 0))

    def used(*arguments: str, own: str | None = None) -> int:
        done = prepared.cli("budget", "--json", *arguments, CLAUDE_CODE_SESSION_ID=own)
        return int(json.loads(done.out)["used"])

    assert [used("one"), used("tw"), used(own="two"), used("one", own="two")] == [1, 2, 2, 1]
    done = prepared.cli("budget")
    assert (done.code, done.err) == (0, 'holdfast: using the most recent of 2 sessions: two "parse the invoices"\n')
    assert "no session here has 'three' in its id or title" in prepared.cli("budget", "three").err
    prepared.fire("SessionEnd", "one")
    assert used() == 2
    prepared.fire("SessionEnd", "two")
    assert used() == used("two") == 2


@pytest.mark.parametrize(
    ("lines", "why"),
    [((), "there is no transcript at "), ((user(),), "no answer of the model"), ((boundary(),), "the last compaction")],
)
def test_what_is_missing_is_reported(prepared: Project, lines: tuple[bytes, ...], why: str) -> None:
    """Without a transcript or an answer in it the command says so, and fails."""
    path = started(prepared, "one", *lines)
    for arguments in ((), ("one",), ("--json",)):
        done = prepared.cli("budget", *arguments)
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith("holdfast: session one: ")
        assert why in done.err
        assert str(path) in done.err


def test_a_session_without_a_known_transcript(prepared: Project) -> None:
    """A state file that no session here has, and a journal without a start: the command says what is missing."""
    prepared.write_state()
    prepared.remember("old", {"kind": "prompt", "text": "parse"})
    for name in ("20251204-143000-parser", "old"):
        done = prepared.cli("budget", name)
        assert (done.code, done.out) == (1, "")
        assert "its transcript" in done.err


def test_bad_settings_are_reported_and_the_defaults_hold(prepared: Project) -> None:
    """The command shows the budget all the same."""
    started(prepared, "one", answer(1000, 150, 700))
    done = prepared.cli("budget", HOLDFAST_ZONES="50,40,20")
    assert done.code == 0
    assert "HOLDFAST_ZONES: zones = [50, 40, 20] does not fit" in done.err
    assert "(20-40%)" not in done.out.splitlines()[1]
    assert "0-20%" in done.out


def test_the_hook_tells_claude_once(prepared: Project) -> None:
    """At the prompt after the zone got worse, beside the prompt and not to the user; then not again."""
    path = started(prepared, "one", answer(90_000, 0, 0, model="claude-sonnet-4-5"))
    assert os.listdir(prepared.store / "zones") == ["one"]
    path.write_bytes(answer(100_000, 0, 0, model="claude-sonnet-4-5"))
    reply = prepared.fire("UserPromptSubmit", transcript_path=str(path))
    assert reply.context.startswith("The context holds 100,000 of 200,000 tokens (50%): the stop zone. ")
    assert reply.message == ""
    assert prepared.fire("UserPromptSubmit", transcript_path=str(path)).out == ""
    assert prepared.log == []
