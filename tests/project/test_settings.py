"""Settings: the file, the variables that override it, and the messages for invalid ones."""

from __future__ import annotations

import os
import re
import tomllib
from typing import TYPE_CHECKING

import pytest

from holdfast.core.cache import Cache
from holdfast.core.errors import HoldfastError
from holdfast.project import settings
from tests.support import hooks
from tests.support.machine import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
# What is in the file, and what the message has to name beside the file.
BAD_FILES = [
    ("brief_characters = 'many'\n", "brief_characters"),
    ("brief_characters = -1\n", "brief_characters"),
    ("stage = 1\n", "stage"),
    ("live_minutes = true\n", "live_minutes"),
    ("stale_hours = 1.5\n", "stale_hours"),
    ("frobnicate = 1\n", "frobnicate"),
    ("conflicts = 'shout'\n", "conflicts = 'shout' does not fit; give one of warn, ask, deny, off"),
    ("conflicts = true\n", "conflicts"),
    ("conflicts = ['warn']\n", "conflicts"),
    ("overlap_minutes = 0\n", "a whole number from 1 to 10080"),
    ("overlap_minutes = 10081\n", "overlap_minutes"),
    ("overlap_minutes = 'long'\n", "overlap_minutes"),
    ("history_entries = 0\n", "a whole number from 1 to 10000"),
    ("agents = 'one'\n", "agents"),
    ("agents = ['one', 2]\n", "agents"),
    ("agents = ['']\n", "agents"),
    ("agents = ['two words']\n", "agents = ['two words'] does not fit; give words of letters, digits, - and _"),
    ("agents = ['caf\u00e9']\n", "agents"),
    ("stage = \n", "line 1"),
    ("a = 1\na = 2\n", "line 2"),
    # Values that Python's TOML parser cannot read or print.
    (f"stale_hours = {'9' * 5000}\n", "4300 digits"),
    (f"stale_hours = 0x{'f' * 5000}\n", "4300"),
    (f"zones = {'[' * 2500}\n", "too deeply"),
    ("# a comment\n" * 25_000, "larger than 256 KB"),
]
BAD_VARIABLES = [
    *(("HOLDFAST_STAGE", "maybe"), ("HOLDFAST_LIVE_MINUTES", "-5"), ("HOLDFAST_BRIEF_CHARACTERS", "6k")),
    *(("HOLDFAST_CONFLICTS", "shout"), ("HOLDFAST_CONFLICTS", ""), ("HOLDFAST_AGENTS", "t:wo")),
    *(("HOLDFAST_STALE_HOURS", "9" * 5000), ("HOLDFAST_WINDOW_TOKENS", "9" * 5000)),
]


def _load(root: Path, **environ: str) -> settings.Settings:
    return settings.load(str(root), environ, Cache(""))


def _chosen(root: Path, text: str) -> Path:
    path = root / ".agents/holdfast.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def test_the_template_names_every_setting_and_its_default(tmp_path: Path) -> None:
    """The file that `holdfast init` writes changes nothing; without the comment signs it sets each default."""
    given = dict(vars(_load(tmp_path)))
    _chosen(tmp_path, settings.TEMPLATE)
    assert vars(_load(tmp_path)) == given
    lines = [line.removeprefix("# ") for line in _commented()]
    assert "[formats.NAME]" in settings.TEMPLATE
    defaults = {name: getattr(settings.Settings, name) for name in settings.NAMES}
    written = {key: tuple(value) if isinstance(value, list) else value for key, value in _table(lines).items()}
    assert written == defaults


def _table(lines: list[str]) -> dict[str, object]:
    return tomllib.loads("\n".join(lines))


def test_the_documentation_names_every_setting_and_its_default() -> None:
    """docs/reference/settings.md has a row for each setting, in order, with its default."""
    reported = (ROOT / "docs/reference/settings.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (\S+) \|", reported.partition("HOLDFAST_STALE_HOURS")[2], re.MULTILINE)
    lines = [f"{name} = {default}" for name, default in rows]
    assert [name for name, _ in rows] == list(settings.NAMES)
    assert lines == [line.removeprefix("# ").partition("#")[0].strip() for line in _commented()]


def _commented() -> list[str]:
    return [line for line in settings.TEMPLATE.splitlines() if " = " in line]


def test_a_variable_overrides_the_file_and_the_file_the_default(tmp_path: Path) -> None:
    """For each key the variable counts before the file."""
    _chosen(tmp_path, "brief_characters = 3000\nstage = false\n")
    found = _load(tmp_path, HOLDFAST_BRIEF_CHARACTERS="4000", HOLDFAST_LIVE_MINUTES=" 3 ", HOLDFAST_OTHER="x")
    assert (found.brief_characters, found.stage, found.live_minutes, found.stale_hours) == (4000, False, 3, 24)


@pytest.mark.parametrize("word", ["warn", "ask", "deny", "off"])
def test_a_choice_is_one_of_its_words(tmp_path: Path, word: str) -> None:
    """Each choice is accepted in the file, and in the variable in any case."""
    _chosen(tmp_path, f'conflicts = "{word}"\n')
    assert _load(tmp_path).conflicts == word
    _chosen(tmp_path, "")
    assert _load(tmp_path, HOLDFAST_CONFLICTS=f" {word.upper()} ").conflicts == word


@pytest.mark.parametrize("variable", ["one,t-w_o2", " one , t-w_o2, "])
def test_words_are_a_list_in_the_file_and_comma_separated_in_a_variable(tmp_path: Path, variable: str) -> None:
    """A list of words is accepted in both places; an empty variable empties it."""
    _chosen(tmp_path, "agents = ['one', 't-w_o2']\n")
    assert _load(tmp_path).agents == ("one", "t-w_o2")
    assert _load(tmp_path, HOLDFAST_AGENTS="").agents == ()
    _chosen(tmp_path, "agents = ['three']\n")
    assert _load(tmp_path, HOLDFAST_AGENTS=variable).agents == ("one", "t-w_o2")


def test_formats_are_not_settings(tmp_path: Path) -> None:
    """The table of a project's own formats is not a setting; a variable cannot set it."""
    _chosen(tmp_path, 'live_minutes = 3\n\n[formats.ours]\nplaces = ["NOTES.md"]\nstage = 7\n')
    assert _load(tmp_path, HOLDFAST_FORMATS="x").live_minutes == 3
    assert "formats" not in settings.NAMES


def test_without_a_file_the_defaults_count(tmp_path: Path) -> None:
    """Without a project or a file the defaults count; a folder at the path is an error that names it."""
    for root in (str(tmp_path / "none"), ""):
        assert settings.load(root, {}, Cache("")).brief_characters == 4000
    (tmp_path / ".agents/holdfast.toml").mkdir(parents=True)
    with pytest.raises(HoldfastError, match="not a plain file"):
        settings.load(str(tmp_path), {}, Cache(""))


@pytest.mark.parametrize(("text", "named"), BAD_FILES)
def test_a_bad_file_is_named_with_its_key(tmp_path: Path, text: str, named: str) -> None:
    """An invalid setting is an error that names the file and the key or line."""
    path = _chosen(tmp_path, text)
    with pytest.raises(HoldfastError) as caught:
        _load(tmp_path)
    assert str(path) in str(caught.value)
    assert named in str(caught.value)
    defaults, complaint = settings.usable(str(tmp_path), {}, Cache(""))
    assert (defaults.brief_characters, complaint) == (4000, str(caught.value))


@pytest.mark.parametrize(("name", "value"), BAD_VARIABLES)
def test_a_bad_variable_is_named(tmp_path: Path, name: str, value: str) -> None:
    """An invalid variable is an error with its name, its value and the valid values."""
    with pytest.raises(HoldfastError, match=f"^{name}: .*{value[:50]}.* give "):
        _load(tmp_path, **{name: value})


def test_unicode_blanks_around_a_number_are_stripped(tmp_path: Path) -> None:
    """A number is only its digits after stripping, although int() accepts more."""
    assert _load(tmp_path, HOLDFAST_STALE_HOURS="2\x1f").stale_hours == 2


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    """The cached settings are used until the file changes."""
    store = tmp_path / "store"
    _chosen(tmp_path, "live_minutes = 1\n")
    for minutes in (1, 22):
        _chosen(tmp_path, f"live_minutes = {minutes}\n")
        memory = Cache(str(store))
        assert settings.load(str(tmp_path), {}, memory).live_minutes == minutes
        memory.save()


def test_hooks_fall_back_to_the_defaults_and_say_so(prepared: Project) -> None:
    """With invalid settings a session uses the defaults: the user sees why, and state files are still updated."""
    path = _chosen(prepared.root, "stage = 'yes'\n")
    reply = prepared.fire("SessionStart")
    assert os.path.relpath(path, prepared.root) in reply.message
    assert "stage" in reply.message
    state = prepared.write_state()
    prepared.edit(str(state))
    prepared.edit("a.py")
    prepared.fire("Stop")
    prepared.settled()
    assert prepared.staged() == [".agents/sessions/20251204-143000-parser.md"]
    assert "- `a.py`" in state.read_text()
    assert prepared.log == []


def test_the_command_line_says_what_is_wrong_and_fails(prepared: Project) -> None:
    """A command with invalid settings prints the file and the key, with exit code 1."""
    path = _chosen(prepared.root, "stage = 'yes'\n")
    for command in (["start", "Work"], ["brief"], ["settle"]):
        reply = prepared.cli(*command)
        assert reply.code == 1, command
        assert f"holdfast: {path.relative_to(prepared.root)}: stage = 'yes'" in reply.err
    assert prepared.state_files() == []


def test_staging_can_be_switched_off(prepared: Project) -> None:
    """With `stage = false` the index is never touched."""
    _chosen(prepared.root, "stage = false\n")
    state = prepared.write_state()
    prepared.edit(str(state))
    prepared.edit("a.py")
    prepared.fire("Stop")
    assert prepared.cli("start", "Work").code == 0
    prepared.settled()
    assert prepared.staged() == []
