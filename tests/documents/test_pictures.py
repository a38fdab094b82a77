"""The pictures in docs/pictures: they show what is shown today, and are small. `make pictures` writes them anew."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from tests.documents import board, svg
from tests.documents.console import by_kind
from tests.documents.recording import prepare, record
from tests.support import hooks
from tests.support.machine import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.client.api import Api
    from tests.client.claude import Claude
    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared
PICTURES = ROOT / "docs/pictures"
WRITE = "WRITE_PICTURES"  # in the environment: `make pictures` sets it
GREATEST = 300_000  # bytes
TITLES = {
    "session": "A terminal: Claude works, the conversation is compacted, and the next session knows what was left.",
    "list": "A terminal: holdfast list shows one open session.",
    "board": "A terminal: the board lists sessions by group, and shows the state file, tasks and context of one.",
    "start": "A terminal: the start of Claude Code shows the session that was left, and how to resume it.",
}
LAST = {"list": "Parse the invoices", "start": "uncommitted files"}
# What the client shows by itself and changes from run to run or from version to version.
_NOISE = re.compile(
    r"^[·✢✳✶✻✽*✺] |▐|▝|^[─\s]*$|⏵⏵|◐|^❯$|^~/|Claude Code v|API Usage|⎿ +Read |^\$$|\bTip:"  # noqa: RUF001 - its prompt
)


def _lines(picture: str) -> dict[str, list[str]]:
    """Return what counts of a picture, by frame."""
    return {
        name: [by_kind(line) for line in lines if not _NOISE.search(line.strip())]
        for name, lines in svg.shown(picture).items()
    }


def test_the_recording_shows_what_happens(
    claude: Claude, api: Api, plugin_copy: Path, packages: Path, tmp_path: Path
) -> None:
    """The session is played again with the real client: each screen has the same lines."""
    claude.extra["HOLDFAST_DATA"] = str(packages)
    claude.project = claude.project.rename(claude.home / "invoices")
    (claude.config / ".claude.json").unlink()
    claude.__post_init__()  # the client knows folders by their paths
    prepare(claude, plugin_copy, tmp_path / "bin")
    frames = record(claude, api)
    known = {frame.name: frame for frame in frames}
    fresh = {"session": svg.animated(frames, TITLES["session"])}
    fresh |= {name: svg.still(known[name], TITLES[name], last) for name, last in LAST.items()}
    if os.environ.get(WRITE):
        for name, text in fresh.items():
            (PICTURES / f"{name}.svg").write_text(text)
    for name, text in fresh.items():
        assert _lines((PICTURES / f"{name}.svg").read_text()) == _lines(text), "type: make pictures"


@pytest.mark.slow
@pytest.mark.processes
def test_the_picture_of_the_board_shows_what_it_shows(prepared: Project) -> None:
    """A project with sessions of each group is made, and its board is opened in a terminal."""
    board.fill(prepared)
    fresh = svg.still(board.photograph(prepared), TITLES["board"], board.LAST)
    if os.environ.get(WRITE):
        (PICTURES / "board.svg").write_text(fresh)
    assert _lines((PICTURES / "board.svg").read_text()) == _lines(fresh), "type: make pictures"


@pytest.mark.parametrize("name", TITLES)
def test_a_picture_is_small_and_has_two_looks(name: str) -> None:
    """It loads nothing from elsewhere, and says in words what it shows."""
    text = (PICTURES / f"{name}.svg").read_text()
    assert len(text.encode()) < GREATEST
    assert "prefers-color-scheme:dark" in text
    assert "<title>" in text
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|@import|@font-face", text)


def test_the_animation_begins_with_what_came_of_it() -> None:
    """It takes ten seconds; without styles, or where nothing may move, only the result is shown."""
    text = (PICTURES / "session.svg").read_text()
    frames = re.findall(r'<g class="f(\d+)"([^>]*) data-name="([^"]*)"', text)
    assert frames[0][1] == ""
    assert all(other[1] == ' opacity="0"' for other in frames[1:])
    result = text[text.index('data-name="') : text.index('<g class="f1"')]
    assert "The totals of the invoices, and the question about UTC is open." in result
    assert {*re.findall(r"k\d+ ([\d.]+)s", text)} == {"10"}
    assert text.index("prefers-reduced-motion:no-preference") < text.index("@keyframes")


def test_a_line_that_changes_is_found() -> None:
    """In its frame; an age, an id and what the client itself shows do not count."""
    one = '<g data-name="list">\n<g><text>$ holdfast list</text></g>\n<g><text>12345678  Parse</text></g>\n</g>'
    worked = "<g><text>✻ Worked</text></g>\n"
    assert _lines(one) == _lines(one.replace("12345678", "abcdefab").removesuffix("</g>") + worked + "</g>")
    assert _lines(one) != _lines(one.replace("Parse", "Write"))


@pytest.mark.parametrize("name", TITLES)
def test_every_colour_can_be_read(name: str) -> None:
    """WCAG 2.1, 1.4.3: text has a contrast of at least 4.5 to 1 with what is behind it, in light and in dark."""
    looks = re.split(r"prefers-color-scheme", (PICTURES / f"{name}.svg").read_text().partition("</style>")[0])
    assert len(looks) == 2
    for look in looks:
        colours = dict(re.findall(r"\.(\w+)\{fill:#(\w{6})", look))
        back = _luminance(colours["back"])
        texts = {key: _luminance(colour) for key, colour in colours.items() if key not in {"back", "inverse"}}
        ratios = {key: (max(one, back) + 0.05) / (min(one, back) + 0.05) for key, one in texts.items()}
        assert {key: ratio for key, ratio in ratios.items() if ratio < 4.5} == {}
        assert colours.get("inverse", colours["back"]) == colours["back"]  # on a colour, so the same contrast


def _luminance(colour: str) -> float:
    """Return the relative luminance of six hexadecimal digits, 0 to 1."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
