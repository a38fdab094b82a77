"""Find holdfast's own modules with four system calls each; Python's finder makes about twelve.

A module comes from the compiled file beside its source on Python's own conditions: the file's magic number is this
interpreter's, and it names the source's time of change and size (PEP 3147 and PEP 552). Everything else is left to
Python's finder, which also writes the compiled files.
"""

import _imp
import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

_PACKAGE = __name__.partition(".")[0]
_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # of the package
_LARGEST = 1 << 16  # bytes of a compiled file; a larger buffer comes from the system, which costs more than it saves
_HEADER = 16  # bytes before the code: magic number, flags, and time and size of the source
_WORD = 0xFFFFFFFF
_ENDING = f".{sys.implementation.cache_tag}.pyc"
_MAGIC: bytes = sys.modules["_frozen_importlib_external"].MAGIC_NUMBER
_SPEC: "type[ModuleSpec]" = type(__spec__)


class _Finder:
    """A finder and loader, as an entry of `sys.meta_path` has to be."""

    @staticmethod
    def find_spec(
        name: str, path: "Sequence[str] | None" = None, target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        """Return where a module of this package is, with its code; None for any that Python's finder has to find."""
        del path, target
        package, _, inner = name.partition(".")
        if package != _PACKAGE or not inner:
            return None
        base = f"{_FOLDER}/{inner.replace('.', '/')}"
        folder, _, last = base.rpartition("/")
        return _spec(name, f"{base}.py", f"{folder}/__pycache__/{last}{_ENDING}") or _spec(
            name, f"{base}/__init__.py", f"{base}/__pycache__/__init__{_ENDING}", base
        )

    @staticmethod
    def create_module(spec: "ModuleSpec") -> None:
        """Leave it to Python to create the module."""

    @staticmethod
    def exec_module(module: "ModuleType") -> None:
        """Run the code of a module."""
        exec(module.__spec__.loader_state, module.__dict__)  # type: ignore[union-attr] # noqa: S102 - so modules load


def install() -> None:
    """Let Python ask this finder first."""
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)


def _spec(name: str, source: str, compiled: str, folder: str = "") -> "ModuleSpec | None":
    """Return the spec of a module, None if its compiled file is missing, damaged or not that of the source now.

    `folder` is that of a package, "" for a plain module.
    """
    try:
        file = os.open(compiled, os.O_RDONLY)
        try:
            data = os.read(file, _LARGEST)
        finally:
            os.close(file)
        status = os.stat(source)
        time, size = int(status.st_mtime) & _WORD, status.st_size & _WORD
        current = b"%b\0\0\0\0%b%b" % (_MAGIC, time.to_bytes(4, "little"), size.to_bytes(4, "little"))
        if data[:_HEADER] != current or len(data) == _LARGEST:
            return None
        code = marshal.loads(memoryview(data)[_HEADER:])  # noqa: S302 - Python does the same with this file
        _imp._fix_co_filename(code, source)  # type: ignore[attr-defined] # noqa: SLF001 - the folder may have moved
    except (OSError, EOFError, TypeError, ValueError):
        return None
    # `find_spec` and the rest are static, so the class itself serves as the loader.
    spec = _SPEC(name, _Finder, origin=source, loader_state=code, is_package=bool(folder))  # type: ignore[arg-type]
    spec.has_location, spec.cached = True, compiled
    if spec.submodule_search_locations is not None:
        spec.submodule_search_locations.append(folder)
    return spec
