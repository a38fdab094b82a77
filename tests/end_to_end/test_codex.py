"""What only Codex CLI has: hooks that do not run before they are trusted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from holdfast.project import extension_registration
from tests.client.others import Codex
from tests.client.steps import listed

if TYPE_CHECKING:
    from tests.client.others import Other

pytestmark = pytest.mark.timeout(240)


def test_doctor_tells_whether_the_hooks_are_trusted(codex: Other) -> None:
    """Hooks that are not reviewed do not run, and doctor says so; those that are trusted run."""
    found = codex.doctor()
    assert "0 of 10 hooks trusted; no event in this project yet" in found["why"]
    assert "Trust all" in found["remedy"]
    codex.command("exec", Codex.UNASKED, "Hello")
    assert listed(codex) == {}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in codex.env.items():
            patch.setenv(name, value)
        hooks = extension_registration.Codex(str(codex.programs[0])).hooks(str(codex.project))
    with (codex.home / codex.SETTINGS).open("a") as config:
        for hook in hooks:
            of_command = hook["currentHash"].partition("/")[0]  # the other half is that of the whole plugin
            config.write(f'[hooks.state.{json.dumps(hook["key"])}]\ntrusted_hash = "{of_command}"\n')
    codex.command("exec", Codex.UNASKED, "Hello")
    assert codex.doctor()["level"] == "ok", codex.doctor()
    assert "10 of 10 hooks trusted; last event " in codex.doctor()["why"]
