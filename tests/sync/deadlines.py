"""`POST /worker` answers within 50 s, whatever the source does: `python -m tests.sync.deadlines`.

Many requests at a time, each of up to 45 s of real work, on pages that take up to 25 s
each. Then the source is quick again, and every sync has to end with all rows, and none may have
been read twice but for one page a request.
"""

from __future__ import annotations

import random
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import click
import httpx
import pytest

import leasehold as lh
from leasehold.kit.data import close_databases, database_of
from leasehold_sync.apps import save
from leasehold_sync.data.migrating import MIGRATIONS
from leasehold_sync.model.apps import App
from leasehold_sync.servers import StripeServer
from tests.sync.web.kit import KEY
from tests.web.serving import Served, served

PROGRAM = ("leasehold_sync.cli", "serve")
ROWS, PAGE = 1_000, 100
DELAYS = (0.0, 0.1, 0.5, 1.0, 3.0, 8.0, 25.0)  # from 30 s on a page would be a failure
LIMIT_SECONDS = 50.0
FOR_A_PROCESS = 8  # requests at once: web/hub.py


@dataclass
class Found:
    """What the requests came to."""

    seconds: list[float] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        return not self.wrong and max(self.seconds) <= LIMIT_SECONDS


class Campaign:
    """Services, apps and a source that is slow in another way each moment."""

    def __init__(self, services: list[Served], server: StripeServer, apps: list[str]) -> None:
        self._services = services
        self._server = server
        self._apps = apps
        self._jobs: dict[str, str] = {}
        self._over = threading.Event()
        self.found = Found()

    def run(self, requests: int, together: int) -> Found:
        """Ask so often, so many at a time; then let all end, and look."""
        moody = threading.Thread(target=self._change_moods)
        moody.start()
        try:
            with ThreadPoolExecutor(together) as pool:
                list(pool.map(self._ask, range(requests)))
        finally:
            self._over.set()
            moody.join()
        self._server.delay(0)
        self._end_all()
        return self.found

    def _change_moods(self) -> None:
        chance = random.Random(7)  # the same each time
        while not self._over.wait(0.5):
            self._server.delay(chance.choice(DELAYS))

    def _ask(self, number: int) -> None:
        """Ask one of the services; one that has no room for another run is asked later."""
        http = self._services[number % len(self._services)].http
        while True:
            self._start_syncs(http)
            started = time.monotonic()
            answer = http.post("/worker", timeout=120)
            if answer.status_code != httpx.codes.TOO_MANY_REQUESTS:
                break
            time.sleep(1)
        self.found.seconds.append(time.monotonic() - started)
        if answer.status_code == httpx.codes.OK:
            self.found.reasons.append(answer.json()["shutdown_reason"])
        else:
            self.found.wrong.append(answer.text)

    def _start_syncs(self, http: httpx.Client) -> None:
        """Let every app have a sync that is under way."""
        for name in self._apps:
            answer = http.post("/sync", json={"app_key": name, "mode": "full"})
            self._jobs[answer.json()["job_id"]] = name

    def _end_all(self) -> None:
        http = self._services[0].http
        while http.post("/worker", timeout=120).json()["tasks_processed"]:
            pass
        for job_id in self._jobs:
            self._check(http.get(f"/sync/jobs/{job_id}").json())
        asked = self._server.count("GET /v1/customers")
        most = len(self._jobs) * ROWS // PAGE + len(self.found.seconds)
        if asked > most:
            self.found.wrong.append(f"{asked} pages were asked for, {most} at most were needed")

    def _check(self, job: dict[str, Any]) -> None:
        told = (job["status"], job["processed_entities"])
        if told != ("completed", ROWS):
            self.found.wrong.append(f"{told}: {job}")


def run(url: str, *, requests: int, together: int) -> Found:
    """Serve by as many processes as it takes, and ask; there is always more to do."""
    names = [f"app{number}" for number in range(3 * together)]
    with ExitStack() as stack:
        server = stack.enter_context(StripeServer(rows={"customers": ROWS}))
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setenv(KEY, server.key)
        _prepare(url, server, names)
        words = ("--no-worker", "--log-level", "error")
        services = [
            stack.enter_context(served(url, *words, program=PROGRAM))
            for _ in range(-(-together // FOR_A_PROCESS))
        ]
        found = Campaign(services, server, names).run(requests, together)
        for service in services:
            service.end()
    return found


def _prepare(url: str, server: StripeServer, names: list[str]) -> None:
    with lh.Client(url) as client:
        client.store.migrate()
        MIGRATIONS.migrate(client)
        for name in names:
            app = App(
                app_key=name,
                connector="stripe",
                credential=f"env:{KEY}",
                base_url=server.url,
                resources=("customers",),
            )
            save(client, database_of(url), app)
    close_databases()


@click.command()
@click.argument("url", required=False)
@click.option("--requests", default=100, show_default=True)
@click.option("--together", default=16, show_default=True)
def main(url: str | None, requests: int, together: int) -> None:
    """Run it and print what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        found = run(url or f"sqlite:///{folder}/sync.db", requests=requests, together=together)
    reasons = {name: found.reasons.count(name) for name in sorted(set(found.reasons))}
    longest = max(found.seconds)
    click.echo(f"{len(found.seconds)} requests, the longest took {longest:.1f} s; {reasons}")
    for each in found.wrong[:10]:
        click.echo(f"WRONG {each}")
    sys.exit(not found.is_clean)


if __name__ == "__main__":
    main()
