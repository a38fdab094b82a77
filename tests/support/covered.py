"""Branch coverage of what runs in processes of its own: hooks and commands, which start without any site folder.

`make coverage` sets MEASURED_INTO. The launcher then finds, where it remembers its Python, a program that begins to
measure before it runs what it was given; nothing of the plugin itself is changed for it.
"""

from __future__ import annotations

import os
from pathlib import Path

import coverage

from .machine import ROOT

MEASURED_INTO = "MEASURED_INTO"  # the file, of which each process writes its own beside
TEST = ".test"  # ends the name of the file beside it that names the test at work, if somebody asks which test it is

_WRAPPER = """\
#!/bin/sh
if [ "$1 $2" = '-I -S' ] && [ -f "$3" ]; then
    shift 2
    exec '{python}' -I -S '{starter}' "$@"
fi
exec '{python}' "$@"
"""
_STARTER = """\
import runpy, sys
sys.path.append({packages!r})
try:
    import coverage
    try:
        test = open({into!r} + {test!r}).read()
    except OSError:
        test = None
    known = dict(data_suffix=True, auto_data=True, context=test)
    coverage.Coverage(data_file={into!r}, config_file={config!r}, **known).start()
except FileNotFoundError:
    pass  # its folder is gone, from where nothing can be measured
sys.executable = {wrapper!r}
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def remember(data: Path) -> None:
    """Let the launcher with this data folder start a Python that measures, when coverage is wanted."""
    into = os.environ.get(MEASURED_INTO)
    if not into:
        return
    folder = data.parent / "covered"
    (folder / "packages").mkdir(parents=True)
    (folder / "packages/coverage").symlink_to(Path(coverage.__file__).parent)
    wrapper, starter = folder / "python", folder / "starter.py"
    python = (data / "python").read_text().strip()
    wrapper.write_text(_WRAPPER.format(python=python, starter=starter))
    wrapper.chmod(0o700)  # whoever may not run that Python may not run this one either
    known = {"packages": str(folder / "packages"), "wrapper": str(wrapper), "config": str(ROOT / "pyproject.toml")}
    starter.write_text(_STARTER.format(into=into, test=TEST, **known))
    (data / "python").write_text(f"{wrapper}\n")
