"""A hook of MkDocs: the site also has the documents beside docs/, and a link to any other file becomes its path.

mkdocs.yml names this file. MkDocs loads it by its path, so it imports nothing of the project.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
BESIDE = ("ARCHITECTURE.md", "BENCHMARKS.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "benchmarks.svg")
_LINK = re.compile(r'(!?)\[([^\]\n]*)\]\((?!https?:|#)([^\s)#]+)(#[\w-]+)?(?: "([^"]+)")?\)')


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the documents beside docs/ to the site."""
    from mkdocs.structure.files import File

    for name in BESIDE:
        files.append(File.generated(config, name, abs_src_path=str(ROOT / name)))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001 - the names are MkDocs's
    """Return a page whose links lead to pages of the site."""
    return with_links(markdown, page.file.src_uri)


def with_links(markdown: str, page: str) -> str:
    """Return the text of a page, given by its path in the site, whose links lead to files of the site."""
    folder = os.path.dirname(page if page in BESIDE else f"docs/{page}")

    def link(found: re.Match[str]) -> str:
        picture, label, target, anchor, title = found.groups()
        path = os.path.normpath(f"{folder}/{target}") if folder else os.path.normpath(target)
        place = path if path in BESIDE else path.removeprefix("docs/")
        if place == path and path not in BESIDE:
            return f'<abbr title="{path}: {title}">{label}</abbr>' if title else f"{label} (`{path}`)"
        return f"{picture}[{label}]({os.path.relpath(place, os.path.dirname(page) or '.')}{anchor or ''})"

    return _LINK.sub(link, markdown)
