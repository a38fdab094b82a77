"""What Codex says of its plugins, as far as no client is needed to know it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holdfast.project.client_registration import PLUGIN
from holdfast.project.codex_registration import Codex

if TYPE_CHECKING:
    from typing import Any

OTHER = {"pluginId": "other@market", "version": "1"}
OWN = {"pluginId": PLUGIN, "version": "2"}


@pytest.mark.parametrize(("listed", "found"), [([], {}), ([OTHER], {}), ([OTHER, OWN], OWN), ([OWN, OTHER], OWN)])
def test_the_entry_of_this_plugin(
    listed: list[dict[str, Any]], found: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Among those of others."""
    client = Codex("codex")
    monkeypatch.setattr(client, "_rows", lambda *_: listed)
    assert client.installed() == found
