"""The finder of holdfast's own modules: it finds what Python's finder finds, or leaves a module to it."""

from __future__ import annotations

import compileall
import os
import py_compile
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from holdfast.core import module_finder

if TYPE_CHECKING:
    from collections.abc import Callable

_PACKAGE = Path(module_finder.__file__).parents[1]
_IMPORT = """\
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from holdfast.core import module_finder
module_finder.install()
module_finder.install()
import holdfast.part.one as one
print(one.VALUE, sys.meta_path.index(module_finder._Finder), one.__spec__.loader is module_finder._Finder, one.where())
"""
_COMPARE = """\
import sys
sys.path.insert(0, sys.argv[1])
from importlib import import_module
from importlib.machinery import PathFinder
from holdfast.core import module_finder

def parts(spec):
    folders = spec.submodule_search_locations
    return spec.name, spec.parent, spec.origin, spec.cached, spec.has_location, folders and [*folders]

for name in sys.argv[2:]:
    above = name.rpartition(".")[0]
    theirs = PathFinder.find_spec(name, import_module(above).__path__)
    ours = module_finder._Finder.find_spec(name)
    assert parts(ours) == parts(theirs), (parts(ours), parts(theirs))
    assert ours.loader_state == theirs.loader.get_code(name), name
print("alike", len(sys.argv[2:]))
"""
_SOURCE = "VALUE = 1\n\n\ndef where():\n    return where.__code__.co_filename\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a small package of the same name, whose modules are compiled."""
    for name in ("__init__", "core/__init__", "part/__init__"):
        path = tmp_path / f"first/holdfast/{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    shutil.copy(module_finder.__file__, tmp_path / "first/holdfast/core")
    (tmp_path / "first/holdfast/part/one.py").write_text(_SOURCE)
    assert compileall.compile_dir(tmp_path / "first", quiet=1)
    return tmp_path / "first"


def _run(script: str, *words: str | Path) -> str:
    """Run a script in an interpreter without site packages, and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script, *words], capture_output=True, text=True, check=False
    )
    return done.stdout.strip() if not done.returncode else done.stderr.strip().splitlines()[-1]


def _source(folder: Path) -> Path:
    return folder / "holdfast/part/one.py"


def _compiled(folder: Path) -> Path:
    return next((folder / "holdfast/part/__pycache__").glob("one.*"))


def _edit(folder: Path) -> None:
    """Change a source without changing its size."""
    _source(folder).write_text(_SOURCE.replace("1", "2"))
    os.utime(_source(folder), (1, 1))


def _lengthen(folder: Path) -> None:
    """Change a source without changing its time."""
    time = _source(folder).stat().st_mtime_ns
    _source(folder).write_text(_SOURCE.replace("1", "22"))
    os.utime(_source(folder), ns=(time, time))


def _by_hash(folder: Path) -> None:
    """Compile a module in the way that does not look at the source's time."""
    py_compile.compile(str(_source(folder)), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)


def _enlarge(folder: Path) -> None:
    """Make a module whose compiled file is larger than any of holdfast's."""
    _source(folder).write_text(_SOURCE + f"TEXT = {'long ' * (1 << 14)!r}\n")
    py_compile.compile(str(_source(folder)))


def _write(keep: slice, instead: bytes) -> Callable[[Path], None]:
    """Return what writes other bytes over a part of a compiled file."""

    def write(folder: Path) -> None:
        data = bytearray(_compiled(folder).read_bytes())
        data[keep] = instead
        _compiled(folder).write_bytes(data)

    return write


def test_every_module_is_found_as_python_finds_it(tmp_path: Path) -> None:
    """Name, places and code of each module of holdfast are those that Python's finder has."""
    shutil.copytree(_PACKAGE, tmp_path / "holdfast", ignore=shutil.ignore_patterns("__pycache__"))
    assert compileall.compile_dir(tmp_path, quiet=1)
    files = [path.relative_to(tmp_path).with_suffix("") for path in sorted((tmp_path / "holdfast").rglob("*.py"))]
    names = [str(path).replace("/", ".").removesuffix(".__init__") for path in files]
    names.remove("holdfast")
    assert len(names) > 200
    assert _run(_COMPARE, tmp_path, *names) == f"alike {len(names)}"


def test_a_compiled_module_is_loaded(folder: Path) -> None:
    """The finder is the first one, and its module knows its source."""
    assert _run(_IMPORT, folder) == f"1 0 True {_source(folder)}"


def test_a_module_knows_its_folder_after_that_was_moved(folder: Path) -> None:
    """Tracebacks name the file where it is, not where it was compiled."""
    moved = folder.rename(folder.parent / "second")
    assert _run(_IMPORT, moved) == f"1 0 True {_source(moved)}"


@pytest.mark.parametrize(
    ("change", "value"),
    [
        pytest.param(_edit, 2, id="same size, other time"),
        pytest.param(_lengthen, 22, id="same time, other size"),
        pytest.param(_by_hash, 1, id="no time in it"),
        pytest.param(_enlarge, 1, id="too large"),
        pytest.param(lambda folder: _compiled(folder).unlink(), 1, id="not compiled"),
        pytest.param(_write(slice(0, 4), b"\0\0\r\n"), 1, id="another interpreter's"),
        pytest.param(_write(slice(0, None), b""), 1, id="empty"),
    ],
)
def test_everything_else_is_left_to_python(folder: Path, change: Callable[[Path], None], value: int) -> None:
    """A compiled file that is not that of the source is not used."""
    change(folder)
    assert _run(_IMPORT, folder) == f"{value} 0 False {_source(folder)}"


@pytest.mark.parametrize("rest", [b"", b"x", b"N"])
def test_a_damaged_module_is_left_to_python(folder: Path, rest: bytes) -> None:
    """Python says what is wrong with the code, as it does without this finder."""
    _write(slice(16, None), rest)(folder)
    with_finder, without = (_run(text, folder) for text in (_IMPORT, _IMPORT.replace("module_finder.install()", "")))
    assert with_finder == without


def test_a_deleted_module_is_not_found(folder: Path) -> None:
    """What is left of it beside the sources does not bring it back."""
    _source(folder).unlink()
    assert _run(_IMPORT, folder) == "ModuleNotFoundError: No module named 'holdfast.part.one'"
