"""Plays stories and counts what of them reaches whoever comes next. By hand: `make continuity`."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.client.fetch import fetch
from tests.support.machine import PYTHON, clone
from tests.support.packages import lend

from . import count, script, transcripts
from .direct import Direct
from .project import Carriers, Project
from .real import Real

if TYPE_CHECKING:
    from collections.abc import Sequence

SESSIONS = Path(__file__).parent / "sessions"
WAYS = ("private", "shared")


def main(words: Sequence[str] | None = None) -> int:
    """Print a table for each way of keeping state files."""
    options = _options(words)
    told = [*transcripts.read(options.transcripts)] if options.transcripts else _own(options.story)
    tables = {way: measure(told, way, options.out, client=options.client) for way in options.ways}
    if options.json:
        print(json.dumps({way: count.data(table) for way, table in tables.items()}, ensure_ascii=False, indent=1))
    else:
        number = sum(len(story.facts) for story in told)
        print(f"{len(told)} stories, {number} facts")
        print("".join(f"\n{way} project\n\n{count.text(table)}\n" for way, table in tables.items()))
    return 0


def measure(told: Sequence[script.Story], way: str, out: Path | None = None, *, client: bool = False) -> count.Table:
    """Play stories in projects of one kind and return the table; the carriers are written into `out`."""
    table: count.Table = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        plugin, data = installed(Path(place))
        for story in told:
            project = Project(Path(place) / story.name, plugin, data, way)
            carriers = Real(project, fetch("latest")).play(story) if client else Direct(project).play(story)
            count.add(table, story, carriers)
            if out:
                keep(out / way / story.name, story, carriers)
    return table


def installed(place: Path) -> tuple[Path, Path]:
    """Return a copy of the plugin, and a data folder with its packages."""
    plugin, data = place / "cache/1.0.0", place / "data"
    for folder in (plugin, data):
        folder.mkdir(parents=True)
    clone(plugin)
    lend(data)
    (data / "python").write_text(f"{PYTHON}\n")
    return plugin, data


def keep(folder: Path, story: script.Story, carriers: Carriers) -> None:
    """Write each carrier and the facts into files that somebody can judge who has not seen the session."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, texts in carriers.texts().items():
        if texts:
            (folder / f"{name.replace(' ', '-')}.md").write_text("\n\n=====\n\n".join(texts))
    lines = [f"{number}. {fact.kind}: {fact.sentence}" for number, fact in enumerate(story.facts, 1)]
    (folder / "facts.txt").write_text("\n".join(lines) + "\n")


def _own(wanted: str) -> list[script.Story]:
    return [script.read(path) for path in sorted(SESSIONS.glob("[0-9]*.md")) if wanted in path.stem]


def _options(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.continuity", description=__doc__)
    parser.add_argument("--client", action="store_true", help="play through the real client, which is fetched")
    parser.add_argument("--out", type=Path, help="a folder for the carriers")
    parser.add_argument("--transcripts", type=Path, help="a folder of NAME.jsonl, or NAME/*.jsonl, with NAME.facts")
    parser.add_argument("--story", default="", help="play only stories with this in their name")
    parser.add_argument("--way", dest="ways", nargs="*", choices=WAYS, default=WAYS)
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main())
