"""What end-to-end tests do again and again: run the command line as a person would, script a write, settle."""

from __future__ import annotations

import json
import subprocess
import uuid
from typing import TYPE_CHECKING, Any

from .api import tool

if TYPE_CHECKING:
    from .claude import Claude
    from .others import Other

    Client = Claude | Other


def command(client: Client, *arguments: str) -> str:
    """Run the command line in the client's project, as a person would, and give what it printed."""
    assert client.plugin_dir
    program = str(client.plugin_dir / "bin/holdfast")
    done = subprocess.run(
        [program, *arguments],
        cwd=client.project,
        env=client.env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def listed(client: Client) -> dict[str, dict[str, Any]]:
    """Give `holdfast list --all` by session id."""
    return {row["id"]: row for row in json.loads(command(client, "list", "--all", "--json"))}


def new() -> str:
    """Give a fresh session id."""
    return str(uuid.uuid4())


def write(client: Claude, path: str, content: str = "x = 1\n") -> dict[str, Any]:
    """Give a step in which the model writes a file of the project."""
    return tool("Write", file_path=str(client.project / path), content=content)
