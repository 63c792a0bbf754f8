"""Schemathesis against sync's API: `python -m tests.sync.fuzzing [URL] [--examples 40]`."""

from __future__ import annotations

import leasehold as lh
from leasehold.kit.data import close_databases, database_of
from leasehold_sync import syncing, tasks
from leasehold_sync.apps import save
from leasehold_sync.data.migrating import MIGRATIONS
from leasehold_sync.model.apps import App
from leasehold_sync.servers import StripeServer
from tests.web.fuzzing import Fuzzed, fuzz_service, fuzzing_command

APPLICATION = ("--app", "leasehold_sync.web:application", "--no-worker", "--no-needs-worker")


def prepare(url: str, server: StripeServer) -> tuple[str, dict[str, list[str]]]:
    """Sync an app; returns a token, and names what is there by path parameters."""
    with lh.Client(url) as client:
        client.store.migrate()
        MIGRATIONS.migrate(client)
        database = database_of(url)
        for name in ("first", "second"):
            save(client, database, App(app_key=name, connector="stripe", base_url=server.url))
        jobs = [syncing.start(client, database, name).job_id for name in ("first", "second")]
        lh.Worker(client, tasks).run(until_empty=True, batch=jobs[0])
        secret = client.tokens.add("fuzzer", scope="admin").secret
    close_databases()
    return secret, {"job_id": [str(each) for each in jobs]}


def fuzz(url: str, *, examples: int) -> Fuzzed:
    """Serve the application and fuzz its API; the apps have no credential, so nothing is read."""
    with StripeServer(rows={"customers": 20}) as server:
        secret, known = prepare(url, server)
        return fuzz_service(
            url, secret, known, *APPLICATION, examples=examples, document="/sync/openapi.json"
        )


if __name__ == "__main__":
    fuzzing_command(fuzz)()
