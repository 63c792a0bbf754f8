"""Schemathesis against sync's API: `python -m tests.sync.fuzzing [URL] [--examples 40]`."""

from __future__ import annotations

from uuid import UUID

import pytest

import leasehold as lh
from leasehold.kit.data import close_databases, database_of
from leasehold_sync import syncing, tasks
from leasehold_sync.apps import save
from leasehold_sync.data.migrating import MIGRATIONS
from leasehold_sync.model.apps import App
from leasehold_sync.servers import StripeServer
from tests.sync.web.kit import KEY
from tests.web.fuzzing import Fuzzed, fuzz_service, fuzzing_command

APPLICATION = ("--app", "leasehold_sync.web:application", "--no-worker", "--no-needs-worker")


def prepare(url: str, server: StripeServer) -> tuple[str, dict[str, list[str]]]:
    """Sync two apps; returns a token, and names what is there by path parameters.

    Both have ended, so that a stream of events does, too.
    """
    with lh.Client(url) as client:
        client.store.migrate()
        MIGRATIONS.migrate(client)
        database = database_of(url)
        jobs = [_start(client, name, server) for name in ("first", "second")]
        lh.Worker(client, tasks).run(until_empty=True, batch=jobs[0])
        syncing.cancel(client, database, jobs[1])
        secret = client.tokens.add("fuzzer", scope="admin").secret
    close_databases()
    return secret, {"job_id": [str(each) for each in jobs]}


def _start(client: lh.Client, name: str, server: StripeServer) -> UUID:
    database = database_of(client.url)
    resources = ("customers", "products")
    app = App(
        app_key=name,
        connector="stripe",
        credential=f"env:{KEY}",
        base_url=server.url,
        resources=resources,
    )
    save(client, database, app)
    return syncing.start(client, database, name).job_id


def fuzz(url: str, *, examples: int) -> Fuzzed:
    """Serve the application and fuzz its API."""
    with StripeServer(rows={"customers": 20}) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv(KEY, server.key)  # for this process, and the one that serves
        secret, known = prepare(url, server)
        return fuzz_service(
            url, secret, known, *APPLICATION, examples=examples, document="/sync/openapi.json"
        )


if __name__ == "__main__":
    fuzzing_command(fuzz)()
