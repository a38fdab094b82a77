"""The shapes that come along and those of a project's own: well made, told apart, and as good as each other."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.cache import Cache
from holdfast.dialects import catalog, dialect, schema
from holdfast.dialects.names import plain
from holdfast.errors import HoldfastError
from holdfast.states.statefile import StateFile
from tests.hazards import shapes
from tests.support import hooks
from tests.support.machine import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
with open(catalog.SHIPPED, "rb") as _file:
    TABLES: dict[str, Any] = tomllib.load(_file)
SHIPPED = catalog.known("", Cache(""))
LOCATORS = {
    "front": "KEY",
    "label": "NAME",
    "section": "TITLE",
    "title": "",
}
BASES = [
    *(shapes.AGENTS, shapes.FLAT, shapes.N5, shapes.V1, shapes.GSD_LITE, shapes.GSD, shapes.GENIE, shapes.CONTINUE),
    *(shapes.MEMORY, shapes.CLAUDE, shapes.CONTINUITY, shapes.HANDOFF),
]
OWN = """
live_minutes = 5

[dialects.lab-book]
places = ["lab/*.md"]
recognised = [["title:Lab Book", "section:Aim"]]
stamp = ["label:Touched"]
status.active = ["brewing"]
status.completed = ["bottled"]
samples = ["What is brewed here"]
model.title = ["title:Lab Book:"]
model.status = ["label:State"]
model.focus = ["section:Aim"]
model.next = ["section:To Come"]
model.updated = ["label:Touched"]

[[dialects.lab-book.part]]
title = ""
holds = "fields"
fields = [{ name = "State", need = "required" }, { name = "Touched" }]

[[dialects.lab-book.part]]
title = "Aim"
names = ["Purpose"]
holds = "text"
need = "required"

[[dialects.lab-book.part]]
title = "To Come"
holds = "list"
need = "recommended"
"""
BOOK = """\
# Lab Book: Cider

**State:** brewing
**Touched:** 2026-03-02 10:00 UTC

## Purpose
What is brewed here
"""
GOOD = {"places": ["a.md"], "recognised": [["title:X"]]}
# What a dialect of one's own has beside the good parts, and what the complaint must name.
MISTAKES = [
    pytest.param({"colour": 1}, "colour", id="an unknown key"),
    pytest.param({"places": []}, "places", id="no place"),
    pytest.param({"places": "a.md"}, "places", id="a place that is no list"),
    pytest.param({"recognised": []}, "recognised", id="no marks"),
    pytest.param({"recognised": "title:X"}, "recognised", id="marks that are no list"),
    pytest.param({"recognised": [["heading:X"]]}, "heading:X", id="an unknown mark"),
    pytest.param({"places": ["/etc/a.md"]}, "/etc/a.md", id="a place outside"),
    pytest.param({"places": ["~/a.md"]}, "~/a.md", id="a place at home"),
    pytest.param({"places": ["../a.md"]}, "../a.md", id="a place above"),
    pytest.param({"places": ["docs/**/a.md"]}, "docs/**/a.md", id="a place without end"),
    pytest.param({"places": ["a.txt"]}, "a.txt", id="a place that is no Markdown"),
    pytest.param({"status": {"asleep": ["zzz"]}}, "asleep", id="an unknown standing"),
    pytest.param({"model": {"focus": ["heading:X"]}}, "heading:X", id="an unknown locator"),
    pytest.param({"model": {"next": ["foo"]}}, "'foo'", id="a locator without a kind"),
    pytest.param({"model": {"focus": "label:X"}}, "focus", id="a locator that is no list"),
    pytest.param({"model": {"focuss": ["label:X"]}}, "focuss", id="an unknown word"),
    pytest.param({"recognised": [[]]}, "recognised", id="a way without marks"),
    pytest.param({"recognised": [["absent:label:X"]]}, "recognised", id="only marks that are not there"),
    pytest.param(
        {"recognised": [["absent:bogus:X"], ["title:X"]]}, "recognised", id="an unknown mark that is not there"
    ),
    pytest.param({"stamp": ["bogus:X"]}, "bogus:X", id="an unknown place for the time"),
    pytest.param({"status": {"active": "x"}}, "active", id="words of a status that are no list"),
    pytest.param({"writes": "no"}, "writes", id="a word for a truth"),
    pytest.param({"places": [".git/a.md"]}, ".git/a.md", id="a place in git's folder"),
    pytest.param({"places": ["a*b*.md"]}, "a*b*.md", id="two stars in a name"),
    pytest.param({"part": [{"holds": "list"}]}, "title", id="a section without a title"),
    pytest.param({"part": [{"title": "A", "level": 9}]}, "level", id="an impossible level"),
    pytest.param({"part": [{"title": "A", "types": ["x"]}]}, "types", id="an unknown type of work"),
    pytest.param({"part": [{"title": "A", "holds": "log"}]}, "entry", id="a log without an entry"),
    pytest.param({"part": {"title": "A"}}, "part", id="one section in place of a list"),
    pytest.param({"part": [{"title": "A", "fields": [{"need": "required"}]}]}, "name", id="a field without a name"),
    pytest.param({"template": {"rest": "x"}}, "rest", id="a template of nothing"),
    pytest.param({"entries": {"sections": ["A"]}}, "id", id="entries without an id"),
    pytest.param({"part": [{"title": "A", "size": 1}]}, "size", id="an unknown key of a section"),
    pytest.param({"part": [{"title": "A", "holds": "pictures"}]}, "pictures", id="an unknown content"),
    pytest.param({"part": [{"title": "A", "need": "perhaps"}]}, "perhaps", id="an unknown need"),
    pytest.param({"part": [{"title": "A", "fields": [{"nam": "x"}]}]}, "nam", id="an unknown key of a field"),
    pytest.param({"entries": {"where": "A"}}, "where", id="an unknown key of entries"),
    pytest.param({"entries": {"model": {"focus": ["x:y"]}}}, "x:y", id="an unknown locator of an entry"),
]


def _load(root: Path, text: str) -> catalog.Dialects:
    """Return the dialects of a project with this settings file."""
    (root / ".agents").mkdir(exist_ok=True)
    (root / ".agents/holdfast.toml").write_text(text)
    return catalog.known(str(root), Cache(""))


def _toml(value: object) -> str:
    """Return a value of JSON as TOML has it."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {_toml(inner)}" for name, inner in value.items()) + " }"
    return "[" + ", ".join(map(_toml, value)) + "]" if isinstance(value, list) else json.dumps(value)


def _scopes(table: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a dialect, and its entries when it has any."""
    return [table, *([table["entries"]] if "entries" in table else [])]


@pytest.mark.parametrize("name", TABLES)
def test_each_shipped_dialect_is_sound(name: str) -> None:
    """It passes the check of a project's own; it names places, marks, words and sections, all of which it has."""
    table = TABLES[name]
    schema.check(name, table, "dialects.toml")  # what guards a project's own dialects guards ours
    found = SHIPPED.get(name)
    assert found is not None
    assert (found.name, bool(found.places), all(found.recognised)) == (name, True, True)
    assert len(set(found.places)) == len(found.places)
    assert set(found.model) <= {*dialect.WORDS.values(), "ids", "created", "updated", "type"}


@pytest.mark.parametrize("name", TABLES)
def test_the_sections_of_each_dialect_are_sound(name: str) -> None:
    """Levels, parents, types, and the forms of log entries are such that a section can be begun."""
    for scope in _scopes(TABLES[name]):
        parts = [dialect.Part(part) for part in scope.get("part", [])]
        titles = [plain(part.title) for part in parts if part.title]
        assert len(titles) == len(set(titles))
        for part in parts:
            assert 1 <= part.level <= 7
            assert not part.under or plain(part.under) in titles
            assert set(part.types) <= {"build", "research", "discussion", "planning", "debug"}
            assert ("{text}" in part.entry) == (part.holds == "log"), part.title
            assert part.newest in {"first", "last"}
            assert all(field.name for field in part.fields)


@pytest.mark.parametrize("name", [name for name, table in TABLES.items() if table.get("template")])
def test_templates_are_for_types_that_there_are(name: str) -> None:
    """A template has a text, and parts for types of work only."""
    template = TABLES[name]["template"]
    assert {"text"} <= set(template) <= {"text", "build", "research", "discussion", "planning", "debug"}
    assert "{sections}" in template["text"]
    assert SHIPPED.named(name).name == name


def test_there_is_no_template_of_the_others() -> None:
    """Whoever asks for a dialect without a template, or for none that there is, is told those that have one."""
    for name in ("genie", "nothing"):
        with pytest.raises(HoldfastError, match=f"{name}.*agents, n5, gsd-lite"):
            SHIPPED.named(name)


@pytest.mark.parametrize(("name", "text"), BASES, ids=[name for name, _ in BASES])
def test_a_complete_file_is_its_dialects_own(name: str, text: str) -> None:
    """The first dialect that fits is the right one, by content alone; what it goes by is told."""
    state = StateFile(text.encode(), "anything.md", SHIPPED)
    assert (state.dialect and state.dialect.name, state.problem) == (name, "")
    assert state.reason.startswith("it has ")


@pytest.mark.parametrize(("name", "text"), BASES, ids=[name for name, _ in BASES])
def test_a_file_in_a_fence_is_none(name: str, text: str) -> None:
    """A document that shows a state file is no state file; nobody writes into it, and why is told."""
    shown = f"# How to write it\n\nLike this:\n\n````markdown\n{text}````\n\nAnd keep it up to date.\n"
    state = StateFile(shown.encode(), "anything.md", SHIPPED)
    assert (state.dialect, state.problem) == (None, state.reason), name
    assert state.reason.startswith("its shape is none of the known ones")


def test_a_project_has_its_own(tmp_path: Path) -> None:
    """A dialect of the project's own comes before those that come along, and may take the name of one."""
    found = _load(tmp_path, OWN)
    assert (found.complaint, next(iter(found)).name, len(list(found))) == ("", "lab-book", len(TABLES) + 1)
    assert "lab/*.md" in found.places
    assert found.fingerprint != SHIPPED.fingerprint
    agents = _load(tmp_path, OWN.replace("lab-book", "agents"))
    assert len(list(agents)) == len(TABLES)


def test_its_own_comes_first(tmp_path: Path) -> None:
    """A file that fits the project's own and one that comes along is the project's own."""
    own = '[dialects.mine]\nplaces = ["NOTES.md"]\nrecognised = [["title:Handoff"]]\nwrites = false\n'
    state = StateFile(shapes.HANDOFF[1].encode(), "HANDOFF.md", _load(tmp_path, own))
    assert state.dialect is not None
    assert (state.dialect.name, state.reason) == ("mine", "it has title Handoff")
    assert state.problem == "its dialect mine is only read"


@pytest.mark.parametrize(("extra", "named"), MISTAKES)
def test_a_mistake_is_told_once_and_changes_nothing_else(tmp_path: Path, extra: dict[str, Any], named: str) -> None:
    """The complaint names file, dialect and what is wrong on one line; the shipped dialects go on working."""
    lines = [f"{name} = {_toml(value)}" for name, value in {**GOOD, **extra}.items()]
    found = _load(tmp_path, "\n".join(["[dialects.good]", *_good(), "[dialects.ours]", *lines]))
    assert found.complaint.startswith(f"{tmp_path}/.agents/holdfast.toml: [dialects.ours]")
    assert named in found.complaint
    assert "\n" not in found.complaint
    assert [dialect.name for dialect in found] == list(TABLES)


def _good() -> list[str]:
    return [f"{name} = {_toml(value)}" for name, value in GOOD.items()]


@pytest.mark.parametrize(
    ("text", "named"), [("dialects = 5", "`dialects` is no table"), ("dialects.x = 5", "write it as a table")]
)
def test_what_is_no_table_is_no_dialect(tmp_path: Path, text: str, named: str) -> None:
    """A number in the place of dialects, or of one, is told."""
    found = _load(tmp_path, text)
    assert named in found.complaint
    assert [dialect.name for dialect in found] == list(TABLES)


@pytest.mark.parametrize("text", ["", "stage = \n", "\xff", "live_minutes = 3\n"])
def test_a_settings_file_without_dialects_adds_none(tmp_path: Path, text: str) -> None:
    """A file without dialects, or one that cannot be read at all, leaves the shipped ones as they are."""
    (tmp_path / ".agents").mkdir()
    (tmp_path / ".agents/holdfast.toml").write_bytes(text.encode("latin-1"))
    found = catalog.known(str(tmp_path), Cache(""))
    broken = text not in {"", "live_minutes = 3\n"}
    assert ([dialect.name for dialect in found], bool(found.complaint)) == (list(TABLES), broken)


def test_a_changed_dialect_is_read_again(prepared: Project) -> None:
    """What the surveys remember of files lasts until the dialects change."""
    (prepared.root / "lab").mkdir()
    (prepared.root / "lab/cider.md").write_text(BOOK)
    settings = prepared.root / ".agents/holdfast.toml"
    for word, standing in (("brewing", "active"), ("simmering", "")):
        settings.write_text(OWN.replace('"brewing"', f'"{word}"'))
        (row,) = json.loads(prepared.cli("list", "--all", "--format", "json").out)
        assert (row["state_file"], row["dialect"], row["standing"]) == ("lab/cider.md", "lab-book", standing)


def test_its_own_is_listed_audited_and_synced(prepared: Project) -> None:
    """The command line does with a project's own dialect whatever it does with any other."""
    (prepared.root / ".agents/holdfast.toml").write_text(OWN)
    path = prepared.root / "lab/cider.md"
    path.parent.mkdir()
    path.write_text(BOOK)
    assert "Cider" in prepared.cli("list").out
    audited = prepared.cli("audit", "--convo-id", "lab/cider.md")
    assert (audited.code, "lab-book" in audited.out) == (1, True)
    assert "line 7: Purpose: What is brewed here" in audited.out
    wishes = {"Aim": "Cider that is dry", "next": ["Rack it"], "status": "bottled"}
    synced = prepared.cli("sync", "--convo-id", "lab/cider", "--json", json.dumps(wishes))
    assert (synced.code, synced.err) == (0, "")
    text = path.read_text()
    assert "\n## Purpose\nCider that is dry\n\n## To Come\n" in text
    assert text.endswith("\n- Rack it\n")
    assert "**State:** bottled\n" in text
    assert "**Touched:** 2026-03-02 10:00\n" not in text
    assert prepared.staged() == ["lab/cider.md"]
    assert prepared.cli("audit", "lab/cider.md").code == 0
    assert prepared.cli("status", "lab/cider.md").out.startswith("Cider\n")


def test_a_mistake_is_said_on_the_command_line(prepared: Project) -> None:
    """Whoever types a command is told the complaint, and gets what the shipped dialects make of it."""
    path = prepared.write_state()
    (prepared.root / ".agents/holdfast.toml").write_text(OWN.replace('holds = "list"', 'holds = "lost"'))
    reply = prepared.cli("audit", str(path.relative_to(prepared.root)))
    assert "holdfast.toml: [dialects.lab-book]" in reply.err
    assert "'lost'" in reply.err
    assert reply.err.count("\n") == 1
    assert "(agents)" in reply.out


def test_the_readme_tells_every_dialect() -> None:
    """The table in the README names each dialect, and the files of each of its places."""
    told = (ROOT / "README.md").read_text()
    for name, table in TABLES.items():
        assert f"`{name}`" in told, name
        for place in table["places"]:
            assert f"{place.rpartition('/')[2]}`" in told, place
            assert place.partition("/")[0].rstrip("*") in told, place


def test_the_readmes_own_dialect_is_sound(tmp_path: Path) -> None:
    """What the README shows as a project's own dialect can be used as it stands."""
    told = (ROOT / "README.md").read_text()
    found = _load(tmp_path, told.partition("```toml\n")[2].partition("```")[0])
    assert (found.complaint, next(iter(found)).name) == ("", "lab-book")
