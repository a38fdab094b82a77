"""The real client, over three hundred turns and six compactions: what was reported long ago is still in the context."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.client.api import FULL
from tests.client.fixtures import VERSIONS
from tests.support.plugin import store_of
from tests.survival import COMPACTIONS, PLANTED, TURNS, play

if TYPE_CHECKING:
    from tests.client.api import Api
    from tests.client.claude import Claude

pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.parametrize("client_version", VERSIONS[-1:], indirect=True),  # `make survival` plays it on all of them
]


def test_every_planted_fact_is_reachable_after_each_compaction(ready: Claude, api: Api) -> None:
    """Files, decisions, open questions and tasks, though each summary forgets most of them."""
    ready.extra.update(FULL)
    run = play(ready, api, holdfast=True)
    assert [row.lost for row in run.rows] == [[]] * len(COMPACTIONS)
    assert len(run.rows[-1].planted) == len(PLANTED) == 20
    assert len(api.main_requests()) >= TURNS
    log = store_of(ready.project) / "errors.log"
    assert not log.exists(), log.read_text()


def test_the_bare_client_loses_most_of_them(claude: Claude, api: Api) -> None:
    """So that the test above can fail: the same conversation without holdfast."""
    claude.extra.update(FULL)
    run = play(claude, api, holdfast=False)
    assert len(run.rows) == len(COMPACTIONS)
    assert all(row.lost for row in run.rows)
