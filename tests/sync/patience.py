"""An app that has to wait keeps no other one waiting: `python -m tests.sync.patience [URL]`.

The same app is synced by a run of a worker, alone and beside one whose source answers 429 to all;
rounds of both alternate, since other programs take their share of the machine.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from uuid import UUID

import click
import pytest

import leasehold as lh
from leasehold.kit.data import close_databases, database_of
from leasehold_sync import syncing
from leasehold_sync.apps import save
from leasehold_sync.data.migrating import MIGRATIONS
from leasehold_sync.model.apps import App
from leasehold_sync.servers import ServerProcess
from leasehold_sync.working import Run
from tests.sync.web.kit import KEY

ROWS = 10_000
DELAY_SECONDS = 0.02  # of a page, as of a source far away
LEAST_SPEED = 0.95


class Pair:
    """An app that goes on, and one that has to wait."""

    def __init__(self, client: lh.Client, calm: ServerProcess, busy: ServerProcess) -> None:
        self._client = client
        self._database = database_of(client.url)
        for name, server in {"calm": calm, "busy": busy}.items():
            app = App(
                app_key=name,
                connector="stripe",
                credential=f"env:{KEY}",
                base_url=server.url,
                resources=("customers",),
            )
            save(client, self._database, app)

    def seconds(self, *, beside: bool) -> float:
        """Sync the calm one whole; returns how long that took."""
        others = [self._start("busy")] if beside else []
        job_id = self._start("calm")
        run = Run(self._client, self._database, max_tasks=2 if beside else 1)
        begun = time.monotonic()
        run.run()
        took = time.monotonic() - begun
        for other in others:
            syncing.cancel(self._client, self._database, other)
        job = syncing.status(self._client, self._database, job_id)
        assert (job["status"], job["processed_entities"]) == ("completed", ROWS), job
        return took

    def _start(self, name: str) -> UUID:
        return syncing.start(self._client, self._database, name, mode="full").job_id


def compare(url: str, *, rounds: int) -> tuple[float, float]:
    """Return the times of a sync alone, and beside one that has to wait: medians."""
    with ExitStack() as stack:
        calm, busy = (
            stack.enter_context(ServerProcess("stripe", rows={"customers": ROWS})) for _ in range(2)
        )
        calm.delay(DELAY_SECONDS)
        busy.fail(429, times=1_000_000, retry_after=1)
        stack.enter_context(pytest.MonkeyPatch.context()).setenv(KEY, calm.key)
        client = stack.enter_context(lh.Client(url))
        client.store.migrate()
        MIGRATIONS.migrate(client)
        stack.callback(close_databases)
        pair = Pair(client, calm, busy)
        pair.seconds(beside=False)  # the first one makes all rows
        took = [(pair.seconds(beside=False), pair.seconds(beside=True)) for _ in range(rounds)]
    alone, beside = zip(*took, strict=True)
    return statistics.median(alone), statistics.median(beside)


@click.command()
@click.argument("url", required=False)
@click.option("--rounds", default=7, show_default=True)
def main(url: str | None, rounds: int) -> None:
    """Run it and print what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        alone, beside = compare(url or f"sqlite:///{folder}/sync.db", rounds=rounds)
    speed = alone / beside
    told = f"alone {ROWS / alone:,.0f} entities/s, beside a 429 {ROWS / beside:,.0f}"
    click.echo(f"{told}: {speed:.1%} of the speed")
    sys.exit(speed < LEAST_SPEED)


if __name__ == "__main__":
    main()
