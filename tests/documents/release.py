"""What the changelog says of a version, for the release of its tag: `python -m tests.documents.release v0.2.0`.

The tag, plugin.json and the changelog have to agree. It imports nothing of the project, and needs no packages.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_SECTION = re.compile(r"^## \[?(?P<name>[\w.]+)\]?(?: - (?P<date>\d{4}-\d\d-\d\d))?$", re.MULTILINE)


def notes(changelog: str, version: str) -> str:
    """Return the section of a version; ValueError when there is none, or when it has no date."""
    sections = [*_SECTION.finditer(changelog)]
    for number, section in enumerate(sections):
        if section["name"] == version:
            if not section["date"]:
                raise ValueError(f"CHANGELOG.md has no date for {version}. Add one: ## {version} - YYYY-MM-DD")
            end = sections[number + 1].start() if sections[number + 1 :] else len(changelog)
            return changelog[section.end() : end].strip() + "\n"
    raise ValueError(f"CHANGELOG.md has no section for {version}. Add one: ## {version} - YYYY-MM-DD")


def main(tag: str) -> str:
    """Return the notes for a tag; ValueError when it is not the version of plugin.json."""
    version = str(json.loads((ROOT / ".claude-plugin/plugin.json").read_text())["version"])
    if tag != f"v{version}":
        raise ValueError(f"the tag is {tag} and .claude-plugin/plugin.json has {version}. Tag v{version}.")
    return notes((ROOT / "CHANGELOG.md").read_text(), version)


if __name__ == "__main__":
    try:
        sys.stdout.write(main(sys.argv[1]))
    except ValueError as error:
        sys.exit(f"release: {error}")
