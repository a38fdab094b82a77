"""What Codex says of its plugins, as far as no client is needed to know it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holdfast.project import extension_registration
from holdfast.project.client_registration import PLUGIN
from holdfast.project.extension_registration import Codex

if TYPE_CHECKING:
    from pathlib import Path
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


def test_the_hooks_of_this_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all folders that Codex answers for; those of others are left out."""
    mine = [{**OWN, "event": "Stop"}, {**OWN, "event": "SessionStart"}]
    data = [{"hooks": [OTHER, mine[0]]}, {"hooks": None}, {"hooks": [mine[1], OTHER]}]
    answers = [{"id": 1, "result": {}}, {"id": 2, "result": {"data": data}}]
    monkeypatch.setattr(extension_registration, "_conversation", lambda *_: answers)
    assert Codex("codex").hooks("/project") == mine


def test_what_the_user_trusted_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Codex keeps it when a plugin is removed; what it noted of other hooks, and all else, stays as it is."""
    config = tmp_path / "config.toml"
    other = '# mine\nmodel = "x"\n\n[hooks.state."/etc/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:1"\n'
    ours = "".join(
        f'[hooks.state."{PLUGIN}:hooks/codex.json:{event}:0:0"]\ntrusted_hash = "sha256:2"\nenabled = true\n\n'
        for event in ("stop", "session_start")
    )
    config.write_text(f'{ours}{other}\n{ours}# the end\n[tui]\nkeys = ["holdfast@holdfast-tools"]\n{ours}'.rstrip())
    monkeypatch.setenv("CODEX_HOME", str(tmp_path))
    extension_registration.forget_hooks()
    assert config.read_text() == f'{other}\n# the end\n[tui]\nkeys = ["holdfast@holdfast-tools"]\n'
    extension_registration.forget_hooks()
    config.unlink()
    extension_registration.forget_hooks()
    assert not config.exists()
