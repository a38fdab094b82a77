"""What a whole session costs on the real client, with the plugin and without: `python -m tests.benches.client`."""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from tests.benches.measure import in_turn
from tests.benches.project import Bench, new
from tests.client.api import Api, Turn, text, tool
from tests.client.claude import Claude
from tests.client.fetch import ClientUnavailableError, fetch
from tests.client.identity import IDENTITY
from tests.support.plugin import settled

ROUNDS = int(os.environ.get("HOLDFAST_BENCH_SESSIONS", "9"))


def reported(bench: Bench, folder: Path, rounds: int = ROUNDS) -> str:
    """Return what five writes cost with and without the plugin, in turn, or why that was not measured."""
    try:
        binary = fetch("latest")
    except ClientUnavailableError as error:
        return f"No session was measured: {error}"
    with Api() as api:
        clients = {name: _client(binary, folder / f"home-{name}", bench, api) for name in ("without", "with")}
        clients["without"].plugin_dir = None
        runs = {name: partial(five_writes, client, api, bench.project) for name, client in clients.items()}
        times = in_turn(runs, rounds)
    bare, plugged = (statistics.median(times[name]) for name in ("without", "with"))
    least = {name: min(each) for name, each in times.items()}
    return (
        f"{rounds} of each in turn: {bare:.2f} s without holdfast, {plugged:.2f} s with it (medians; min "
        f"{least['without']:.2f} and {least['with']:.2f}): {(plugged - bare) * 1e3:+.0f} ms, "
        f"{plugged / bare:.2f} times as long."
    )


def _client(binary: Path, home: Path, bench: Bench, api: Api) -> Claude:
    """Return a client with the plugin."""
    client = Claude(binary, home, bench.project, api.url)
    client.extra.update(IDENTITY, HOLDFAST_DATA=str(bench.data))
    client.plugin_dir = bench.plugin
    return client


def five_writes(client: Claude, api: Api, project: Path) -> float:
    """Run one session of five writes and return the seconds it took; what it leaves running is waited for."""
    session = new()
    turns: list[Turn] = [[tool("Write", file_path=str(project / f"src/{new()}.py"), content="x\n")] for _ in range(5)]
    api.script(*turns, [text("Done.")])
    began = time.perf_counter()
    done = client.run("Write five files", session_id=session)
    took = time.perf_counter() - began
    if done.returncode:
        raise RuntimeError(done.stderr)
    if client.plugin_dir:
        settled(project, session)
    return took


def main() -> int:
    """Print the figures."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        print(reported(Bench(Path(folder)), Path(folder)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
