"""The shapes that come along and those of a project's own: well made, distinguished, and as good as each other."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.cache import Cache
from holdfast.core.errors import HoldfastError
from holdfast.formats import catalogue, schema
from holdfast.formats import format as file_format
from holdfast.formats.names import plain
from holdfast.formats.schema import Inheritance
from holdfast.formats.state_file import StateFile
from tests.hazards import shapes
from tests.support import hooks, index
from tests.support.machine import PYTHON, ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
_READ: dict[str, Any] = schema.read_shipped(catalogue.FOLDER)
TABLES: dict[str, Any] = _READ["formats"]
SHIPPED = catalogue.known("", Cache(""))
SHIPPED_FOLDER = catalogue.FOLDER
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

[formats.lab-book]
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

[[formats.lab-book.part]]
title = ""
holds = "fields"
fields = [{ name = "State", need = "required" }, { name = "Touched" }]

[[formats.lab-book.part]]
title = "Aim"
names = ["Purpose"]
holds = "text"
need = "required"

[[formats.lab-book.part]]
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
# What a format of one's own has beside the good parts, and what the complaint must name.
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
    pytest.param({"model": {"focus": ["chapter:X"]}}, "chapter:X", id="an unknown locator"),
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
    pytest.param({"part": [{"title": "A", "fields": [{"name": "B", "colour": 1}]}]}, "colour", id="a field with more"),
    pytest.param({"template": {"rest": "x"}}, "rest", id="a template of nothing"),
    pytest.param({"entries": {"sections": ["A"]}}, "id", id="entries without an id"),
    pytest.param({"part": [{"title": "A", "size": 1}]}, "size", id="an unknown key of a section"),
    pytest.param({"part": [{"title": "A", "holds": "pictures"}]}, "pictures", id="an unknown content"),
    pytest.param({"part": [{"title": "A", "need": "perhaps"}]}, "perhaps", id="an unknown need"),
    pytest.param({"part": [{"title": "A", "fields": [{"nam": "x"}]}]}, "nam", id="an unknown key of a field"),
    pytest.param({"entries": {"where": "A"}}, "where", id="an unknown key of entries"),
    pytest.param({"entries": {"model": {"focus": ["x:y"]}}}, "x:y", id="an unknown locator of an entry"),
    pytest.param({"extends": "nothing"}, "extends = 'nothing'", id="an unknown format to extend"),
    pytest.param({"extends": ["agents"]}, "extends = ['agents']", id="several formats to extend"),
    pytest.param({"extends": "ours"}, "extends = 'ours'", id="a format that extends itself"),
    pytest.param({"extends": "good", "places": []}, "places", id="an inherited list that is emptied"),
    pytest.param({"part": ["Context"]}, "part: 'Context'", id="an inherited section of a format that extends none"),
    pytest.param({"extends": "agents", "part": ["Bench"]}, "part: 'Bench'", id="an unknown inherited section"),
    pytest.param({"part": [{"title": "A", "inside": 5}]}, "inside = 5", id="sections inside that are no list"),
    pytest.param({"part": [{"title": "A", "inside": [5]}]}, "part = 5", id="a section inside that is no table"),
    pytest.param(
        {"part": [{"title": "A", "level": 7, "inside": [{"title": "B"}]}]}, "level = 8", id="a section below a tag"
    ),
]


def _load(root: Path, text: str) -> catalogue.Formats:
    """Return the formats of a project with this settings file."""
    (root / ".agents").mkdir(exist_ok=True)
    (root / ".agents/holdfast.toml").write_text(text)
    return catalogue.known(str(root), Cache(""))


def _toml(value: object) -> str:
    """Return a value of JSON as TOML has it."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {_toml(inner)}" for name, inner in value.items()) + " }"
    return "[" + ", ".join(map(_toml, value)) + "]" if isinstance(value, list) else json.dumps(value)


def _scopes(table: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a format, and its entries when it has any."""
    return [table, *([table["entries"]] if "entries" in table else [])]


MORE = ("ids", "created", "updated", "type", "ended", "tasks", "done", "topics", "insights")


@pytest.mark.parametrize("name", TABLES)
def test_each_shipped_format_is_sound(name: str) -> None:
    """It passes the check of a project's own; it names places, marks, words and sections, all of which it has."""
    table = TABLES[name]
    schema.check(name, table, f"{name}.toml")  # the check of a project's own formats
    found = SHIPPED.get(name)
    assert found is not None
    assert (found.name, bool(found.patterns), all(found.recognised)) == (name, True, True)
    assert len(set(found.patterns)) == len(found.patterns)
    assert set(found.model) <= {*file_format.WORDS.values(), *MORE}


@pytest.mark.parametrize("name", TABLES)
def test_the_sections_of_each_format_are_sound(name: str) -> None:
    """Levels, parents, types, and the forms of log entries are such that a section can be added."""
    for scope in _scopes(TABLES[name]):
        parts = [file_format.Part(part) for part in scope.get("part", [])]
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
    assert ("{sections}" in template["text"]) == (len(template) > 1)
    assert SHIPPED.named(name).name == name


def test_there_is_no_template_of_the_others() -> None:
    """Whoever asks for a format without a template, or for one that does not exist, learns which have one."""
    for name in ("genie", "nothing"):
        with pytest.raises(HoldfastError, match=f"{name}.*agents, n5, gsd-lite"):
            SHIPPED.named(name)


@pytest.mark.parametrize(("name", "text"), BASES, ids=[name for name, _ in BASES])
def test_a_complete_file_is_its_formats_own(name: str, text: str) -> None:
    """The first format that fits is the right one, by content alone; what it goes by is reported."""
    state = StateFile(text.encode(), "anything.md", SHIPPED)
    assert (state.file_format and state.file_format.name, state.problem) == (name, "")
    assert state.reason.startswith("it has ")


@pytest.mark.parametrize(("name", "text"), BASES, ids=[name for name, _ in BASES])
def test_a_file_in_a_fence_is_none(name: str, text: str) -> None:
    """A document that shows a state file is no state file; nothing writes into it, and the reason is reported."""
    shown = f"# How to write it\n\nLike this:\n\n````markdown\n{text}````\n\nAnd keep it up to date.\n"
    state = StateFile(shown.encode(), "anything.md", SHIPPED)
    assert (state.file_format, state.problem) == (None, state.reason), name
    assert state.reason.startswith("its shape is none of the known ones")


def test_a_project_has_its_own(tmp_path: Path) -> None:
    """A format of the project's own is tried before those that come with holdfast."""
    found = _load(tmp_path, OWN)
    assert (found.complaint, next(iter(found)).name, len(list(found))) == ("", "lab-book", len(TABLES) + 1)
    assert "lab/*.md" in found.patterns
    assert found.fingerprint != SHIPPED.fingerprint


def test_the_name_of_a_shipped_format_is_a_mistake(tmp_path: Path) -> None:
    """A project's own format needs a name of its own; the complaint says how to change a shipped one."""
    found = _load(tmp_path, OWN.replace("lab-book", "agents"))
    assert "[formats.agents] has the name of a format that comes with holdfast" in found.complaint
    assert "extends = 'agents'" in found.complaint
    assert [file_format.name for file_format in found] == list(TABLES)


def test_its_own_comes_first(tmp_path: Path) -> None:
    """A file that fits the project's own and one that comes along is the project's own."""
    own = '[formats.mine]\nplaces = ["NOTES.md"]\nrecognised = [["title:Handoff"]]\nwrites = false\n'
    state = StateFile(shapes.HANDOFF[1].encode(), "HANDOFF.md", _load(tmp_path, own))
    assert state.file_format is not None
    assert (state.file_format.name, state.reason) == ("mine", "it has title Handoff")
    assert state.problem == "its format mine is only read"


@pytest.mark.parametrize(("extra", "named"), MISTAKES)
def test_a_mistake_is_reported_once_and_changes_nothing_else(tmp_path: Path, extra: dict[str, Any], named: str) -> None:
    """The complaint names file, format and what is wrong on one line; the shipped formats go on working."""
    lines = [f"{name} = {_toml(value)}" for name, value in {**GOOD, **extra}.items()]
    found = _load(tmp_path, "\n".join(["[formats.good]", *_good(), "[formats.ours]", *lines]))
    assert found.complaint.startswith(f"{tmp_path}/.agents/holdfast.toml: [formats.ours]")
    assert named in found.complaint
    assert "\n" not in found.complaint
    assert [file_format.name for file_format in found] == list(TABLES)


def _good() -> list[str]:
    return [f"{name} = {_toml(value)}" for name, value in GOOD.items()]


@pytest.mark.parametrize(
    ("text", "named"), [("formats = 5", "`formats` is not a table"), ("formats.x = 5", "write it as a table")]
)
def test_what_is_no_table_is_no_format(tmp_path: Path, text: str, named: str) -> None:
    """A number in the place of formats, or of one, is reported."""
    found = _load(tmp_path, text)
    assert named in found.complaint
    assert [file_format.name for file_format in found] == list(TABLES)


@pytest.mark.parametrize("text", ["", "stage = \n", "\xff", "live_minutes = 3\n"])
def test_a_settings_file_without_formats_adds_none(tmp_path: Path, text: str) -> None:
    """A file without formats, or one that cannot be read at all, leaves the shipped ones as they are."""
    (tmp_path / ".agents").mkdir()
    (tmp_path / ".agents/holdfast.toml").write_bytes(text.encode("latin-1"))
    found = catalogue.known(str(tmp_path), Cache(""))
    broken = text not in {"", "live_minutes = 3\n"}
    assert ([file_format.name for file_format in found], bool(found.complaint)) == (list(TABLES), broken)


def test_a_format_inherits_from_another(tmp_path: Path) -> None:
    """Tables inherit key by key, lists are replaced, sections are picked by title, and a chain is followed."""
    text = """
[formats.bench]
extends = "book"
status.paused = ["cooling"]
part = [
    "Progress",
    { title = "Next Steps", need = "required" },
    { title = "Aim", inside = ["Blockers", { title = "Why" }] },
]

[formats.book]
extends = "n5-v1"
places = ["lab/*.md"]
model.focus = ["section:Aim"]
part = ["Progress", { title = "Next Steps", holds = "list", types = ["debug"] }, { title = "Blockers", holds = "list" }]
"""
    found = _load(tmp_path, text)
    assert (found.complaint, [format_.name for format_ in found][:2]) == ("", ["bench", "book"])
    bench, base = found.get("bench"), SHIPPED.get("n5-v1")
    assert bench is not None
    assert base is not None
    assert (bench.patterns, bench.recognised, bench.stamp) == (["lab/*.md"], base.recognised, base.stamp)
    assert bench.status == {**base.status, "paused": ["cooling"]}
    assert bench.model == {**base.model, "focus": ["section:Aim"]}
    assert [(part.title, part.level, part.under, part.holds, part.need) for part in bench.parts] == [
        ("Progress", 2, "", "", "recommended"),
        ("Current Task", 3, "Progress", "text", "recommended"),
        ("Completed", 3, "Progress", "list", "recommended"),
        ("Blocked", 3, "Progress", "list", "optional"),
        ("Next Actions", 3, "Progress", "list", "recommended"),
        ("Next Steps", 2, "", "list", "required"),
        ("Aim", 2, "", "", "optional"),
        ("Blockers", 3, "Aim", "list", "optional"),
        ("Why", 3, "Aim", "", "optional"),
    ]
    assert [part.types for part in bench.parts if part.title == "Next Steps"] == [["debug"]]


def test_sections_inside_have_the_level_and_the_types_of_theirs(tmp_path: Path) -> None:
    """A section inside one inside another is two levels deeper; what it says itself counts."""
    text = """
[formats.deep]
places = ["deep.md"]
recognised = [["title:Deep"]]
[[formats.deep.part]]
title = "A"
types = ["build"]
inside = [{ title = "B", inside = [{ title = "C" }, { title = "D", level = 6, types = ["debug"] }] }, { title = "E" }]
"""
    found = _load(tmp_path, text)
    deep = found.get("deep")
    assert found.complaint == ""
    assert deep is not None
    assert [(part.title, part.level, part.under, part.types) for part in deep.parts] == [
        ("A", 2, "", ["build"]),
        ("B", 3, "A", ["build"]),
        ("C", 4, "B", ["build"]),
        ("D", 6, "B", ["debug"]),
        ("E", 3, "A", ["build"]),
    ]


@pytest.mark.parametrize(("first", "second"), [("a", "b"), ("b", "a")])
def test_formats_that_extend_each_other_are_refused(tmp_path: Path, first: str, second: str) -> None:
    """A cycle is an error that names a format and its `extends`, and not an endless loop."""
    found = _load(tmp_path, f'formats.{first}.extends = "{second}"\nformats.{second}.extends = "{first}"\n')
    assert f"[formats.{second}] extends = '{first}' does not fit; give one of common, conversation, " in found.complaint


_VALUES = st.recursive(
    st.sampled_from(["a", "agents", "n5", "Progress", "title:", "", 2, True]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["title", "inside", "level", "under", "extends", "part"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["extends", "part", "model", "entries", "status"]), _VALUES), _VALUES)
def test_any_table_is_completed_or_refused(table: dict[str, Any], other: object) -> None:
    """Whatever a project writes, its format is complete or the error names it; no other error is raised."""
    tables = {"mine": {**GOOD, **table}, "a": other}
    heirs = Inheritance(tables, TABLES, lambda name: f"file: [formats.{name}]")
    fault, complete = "", None
    try:
        complete = heirs.complete("mine")
        schema.check("mine", complete, "file")
    except HoldfastError as error:
        fault = str(error)
    assert fault.startswith("file: [formats.") if fault else isinstance(complete, dict)
    if isinstance(complete, dict) and not fault:
        assert file_format.Format("mine", complete).patterns == GOOD["places"]


def test_every_file_of_the_folder_is_used() -> None:
    """Each format in the order has its file, and each file is a format's, a template's, or shared."""
    there = {name for name in os.listdir(catalogue.FOLDER) if name not in {"shared.toml", "README.md"}}
    templates = {f"{name}.md" for name, table in TABLES.items() if "template" in table}
    assert there == {*(f"{name}.toml" for name in TABLES), *templates}
    assert len(templates) == 3


@pytest.mark.parametrize(
    ("name", "text", "reported"),
    [
        ("n5.toml", "about = \n", "n5.toml: Invalid value (at line 1"),
        ("n5.toml", 'extends = "nothing"\n', "n5 extends = 'nothing' does not fit; give one of common,"),
        ("n5.toml", "", ""),
        ("n5.toml", None, "n5.toml cannot be read"),
        ("n5.md", "a\n{build}\nb\n", "n5.md: there is no line {end} after {build}"),
        ("shared.toml", 'order = ["strange"]\n', "strange.toml cannot be read"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, name: str, text: str | None, reported: str) -> None:
    """A fault in a file that comes with holdfast is reported with its name, and its line where there is one."""
    folder = tmp_path / "formats"
    shutil.copytree(catalogue.FOLDER, folder)
    (folder / name).unlink()
    if text is not None:
        (folder / name).write_text(text)
    if not reported:
        formats = schema.read_shipped(str(folder))["formats"]
        assert isinstance(formats, dict)
        assert formats["n5"].keys() == {"template"}
        return
    with pytest.raises(HoldfastError) as raised:
        schema.read_shipped(str(folder))
    assert reported in str(raised.value)
    assert str(folder) in str(raised.value)


def test_a_changed_file_of_the_folder_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache keeps what was read until a file of the folder is replaced, as git and editors do, or taken away."""
    folder = tmp_path / "formats"
    shutil.copytree(catalogue.FOLDER, folder)
    (tmp_path / "store").mkdir()
    monkeypatch.setattr(catalogue, "FOLDER", str(folder))

    def _template() -> str:
        memory = Cache(str(tmp_path / "store"))
        found = catalogue.known("", memory).get("gsd-lite")
        memory.save()
        assert found is not None
        return found.template.get("text", "")

    before = _template()
    monkeypatch.setattr(schema, "read_shipped", lambda _: pytest.fail("it was read again"))
    assert _template() == before
    monkeypatch.undo()
    monkeypatch.setattr(catalogue, "FOLDER", str(folder))
    (folder / "new").write_text((folder / "gsd-lite.md").read_text() + "more\n")
    (folder / "new").replace(folder / "gsd-lite.md")
    assert _template() == before + "more\n"
    (folder / "gsd-lite.md").unlink()
    assert _template() == ""


def test_the_outline_is_enough_for_a_start(tmp_path: Path) -> None:
    """Patterns and names need no complete format; one that is needed is read again if what was kept is damaged."""
    memory = Cache(str(tmp_path))
    first = catalogue.known("", memory)
    memory.save()
    assert index.change(tmp_path, "update kept set value = '' where kind = 'whole'") == 1
    memory = Cache(str(tmp_path))
    again = catalogue.known("", memory)
    assert (again.patterns, again.fingerprint) == (first.patterns, first.fingerprint)
    assert index.rows(tmp_path, "select value from kept where kind = 'whole'") == [("",)]
    assert [each.name for each in again] == [each.name for each in first]
    assert index.rows(tmp_path, "select value from kept where kind = 'whole'") != [("",)]


def test_an_update_of_holdfast_leaves_nothing_of_the_old_formats(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many versions a project has seen, the complete formats of the latest are kept."""
    (tmp_path / "store").mkdir()
    for version in "1", "2", "3":
        monkeypatch.setattr(catalogue, "FOLDER", str(tmp_path / version / "data"))
        shutil.copytree(SHIPPED_FOLDER, catalogue.FOLDER)
        memory = Cache(str(tmp_path / "store"))
        assert catalogue.known("", memory).get("agents")
        memory.save()
        memory.tidy()
        shutil.rmtree(catalogue.FOLDER)
    assert index.rows(tmp_path / "store", "select count(*) from kept where kind = 'whole'") == [(1,)]


def test_a_start_with_a_cache_imports_no_parser(tmp_path: Path) -> None:
    """With a cache the catalogue loads neither tomllib nor the modules that only read and check formats."""
    code = (
        "import sys; from holdfast.core.cache import Cache; from holdfast.formats import catalogue\n"
        "cache = Cache(sys.argv[1]); print(len(catalogue.known('', cache).patterns)); cache.save()\n"
        "dear = ['tomllib', 're', 'dataclasses', *('holdfast.formats.' + name for name in "
        "('schema', 'shipped', 'inheritance', 'format'))]\n"
        "print([name for name in dear if name in sys.modules])"
    )
    runs = [
        subprocess.run(
            [PYTHON, "-S", "-c", code, str(tmp_path)],
            env={"PYTHONPATH": str(ROOT / "plugin")},
            capture_output=True,
            check=True,
            text=True,
        ).stdout.splitlines()
        for _ in range(2)
    ]
    assert runs[0][0] == runs[1][0] == str(len(SHIPPED.patterns))
    assert ("tomllib" in runs[0][1], runs[1][1]) == (True, "[]")


def test_a_changed_format_is_read_again(prepared: Project) -> None:
    """What the surveys remember of files lasts until the formats change."""
    (prepared.root / "lab").mkdir()
    (prepared.root / "lab/cider.md").write_text(BOOK)
    settings = prepared.root / ".agents/holdfast.toml"
    for status in ("active", "waiting"):
        settings.write_text(OWN.replace("status.active", f"status.{status}"))
        (row,) = json.loads(prepared.cli("list", "--all", "--json").out)
        assert (row["state_file"], row["format"], row["status"]) == ("lab/cider.md", "lab-book", status)


def test_its_own_is_listed_audited_and_synced(prepared: Project) -> None:
    """The command line does with a project's own format whatever it does with any other."""
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


def test_a_mistake_is_reported_on_the_command_line(prepared: Project) -> None:
    """Who types a command reads the complaint, and gets what the shipped formats make of it."""
    path = prepared.write_state()
    (prepared.root / ".agents/holdfast.toml").write_text(OWN.replace('holds = "list"', 'holds = "lost"'))
    reply = prepared.cli("audit", str(path.relative_to(prepared.root)))
    assert "holdfast.toml: [formats.lab-book]" in reply.err
    assert "'lost'" in reply.err
    assert reply.err.count("\n") == 1
    assert "(agents)" in reply.out


def test_the_documentation_names_every_format() -> None:
    """docs/reference/formats.md names each format, and the files of each of its places."""
    reported = (ROOT / "docs/reference/formats.md").read_text()
    for name, table in TABLES.items():
        assert f"`{name}`" in reported, name
        for place in table["places"]:
            assert f"{place.rpartition('/')[2]}`" in reported, place
            assert place.partition("/")[0].rstrip("*") in reported, place


def test_the_format_in_the_documentation_is_valid(tmp_path: Path) -> None:
    """The example of a project's own format can be used as it is."""
    reported = (ROOT / "docs/reference/formats.md").read_text()
    found = _load(tmp_path, reported.partition("```toml\n")[2].partition("```")[0])
    assert (found.complaint, next(iter(found)).name) == ("", "lab-book")
