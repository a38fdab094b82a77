"""What doctor says of the plugin in Codex, as far as no client is needed to know it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from holdfast.actions import doctor_clients
from holdfast.project import paths
from holdfast.project.client_registration import version
from holdfast.project.extension_registration import Codex

if TYPE_CHECKING:
    from pathlib import Path

ON = {"enabled": True, "version": version()}
TRUSTED, NEW = {"trustStatus": "trusted"}, {"trustStatus": "new"}


@pytest.mark.parametrize(
    ("entry", "hooks", "found"),
    [
        ({**ON, "enabled": False}, [], "the plugin is switched off; yesterday"),
        ({**ON, "version": "0.0.1"}, [], f"plugin 0.0.1, and here is {version()}; yesterday"),
        (ON, [TRUSTED, NEW], f"plugin {version()}, 1 of 2 hooks trusted; yesterday"),
        (ON, [TRUSTED, {"trustStatus": "managed"}], f"plugin {version()}, 2 of 2 hooks trusted; yesterday"),
        ({}, [], ""),
    ],
)
def test_the_plugin_in_codex(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: dict[str, Any], hooks: list[dict[str, Any]], found: str
) -> None:
    """Whether it is switched on, of this version, and which of its hooks run."""
    client = Codex("codex")
    monkeypatch.setattr(client, "installed", lambda: entry)
    monkeypatch.setattr(client, "hooks", lambda _root: hooks)
    results = doctor_clients._codex(client, paths.locate(str(tmp_path)), "yesterday")  # noqa: SLF001 - no such client can be started here
    assert [one.why for one in results] == ([found] if found else [])
    assert all(bool(one.remedy) is ("2 of 2" not in found) for one in results)
