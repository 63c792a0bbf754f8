"""What is said of enrichments, in the log and to Sentry: what fails where, and no secrets."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
import sentry_sdk
from sentry_sdk.transport import Transport

import leasehold as lh
from leasehold.cli.logs import JsonFormatter, fields_of
from leasehold.kit.data import Database
from leasehold.sentry import Sentry
from leasehold_links.telling import EnrichmentLog
from leasehold_links.working import make_worker
from tests.links.jobs.test_curating import import_for
from tests.links.odd_web import HTML, OddWeb, page

if TYPE_CHECKING:
    from sentry_sdk.envelope import Envelope

CANARY = "xyzzy-canary-42"
USER = "ada-lovelace-canary"


def events(caplog: pytest.LogCaptureFixture, name: str) -> list[dict[str, Any]]:
    return [fields_of(each) for each in caplog.records if each.getMessage() == name]


def test_claims_jobs_and_what_fails_where_are_in_the_log(
    client: lh.Client, database: Database, web: OddWeb, caplog: pytest.LogCaptureFixture
) -> None:
    urls = [web.put(f"d{each}.test", f"/{CANARY}", (404, HTML, b"")) for each in range(12)]
    urls += [web.put("d0.test", f"/{each}?token={CANARY}", (404, HTML, b"")) for each in range(2)]
    urls.append(web.put("fine.test", "/", page(CANARY)))
    import_for(client, database, USER, *urls)
    caplog.clear()
    with caplog.at_level(logging.INFO, "leasehold"):
        make_worker(client).run(until_empty=True)
    assert sum(each["batch_claimed_count"] for each in events(caplog, "batch claimed")) == 15
    ended = events(caplog, "enrichment ended")
    assert len(ended) == 15
    assert all(each["job_duration_ms"] >= 0 for each in ended)
    (said,) = events(caplog, "enrichment summary")
    assert (said["success_count"], said["fail_count"]) == (1, 14)
    assert len(said["top_failure_domains"]) == 10
    assert said["top_failure_domains"]["d0.test"] == 3
    text = "\n".join(JsonFormatter().format(record) for record in caplog.records)
    assert CANARY not in text
    assert USER not in text


def test_a_summary_counts_from_the_last_one(caplog: pytest.LogCaptureFixture) -> None:
    log = EnrichmentLog(clock=iter([0.0, 60.0, 90.0]).__next__)
    with caplog.at_level(logging.INFO, "leasehold.links"):
        log.summarised()
        log.summarised()
    assert [each["seconds"] for each in events(caplog, "enrichment summary")] == [60.0, 30.0]


class Kept(Transport):
    """Keeps what would be sent, as the bytes that would go over the wire."""

    def __init__(self) -> None:
        super().__init__()
        self.sent = b""
        self.events: list[dict[str, Any]] = []

    def capture_envelope(self, envelope: Envelope) -> None:
        self.sent += envelope.serialize()
        event = envelope.get_event()
        if event is not None:
            self.events.append(json.loads(json.dumps(event, default=str)))


@pytest.fixture
def kept() -> Iterator[Kept]:
    transport = Kept()
    sentry_sdk.init(
        dsn="https://public@127.0.0.1/1",
        transport=transport,
        include_local_variables=True,
        attach_stacktrace=True,
        default_integrations=False,
    )
    yield transport
    sentry_sdk.get_client().close()
    sentry_sdk.get_global_scope().set_client(None)


def test_sentry_hears_of_failures_and_deaths_without_addresses_or_users(
    client: lh.Client, database: Database, web: OddWeb, kept: Kept
) -> None:
    dead = web.put("a.test", f"/{CANARY}?token={CANARY}", (404, HTML, CANARY.encode()))
    failing = web.put("b.test", f"/{CANARY}", (500, HTML, b""))
    import_for(client, database, USER, dead, failing)
    make_worker(client, observers=[Sentry(failed=True)]).run(until_empty=True)
    by_outcome = {each["tags"]["leasehold.outcome"]: each for each in kept.events}
    assert sorted(by_outcome) == ["dead", "failed"]
    assert by_outcome["dead"]["exception"]["values"][-1]["value"] == "not_found"
    assert by_outcome["failed"]["exception"]["values"][-1]["value"] == "server_error"
    crumbs = by_outcome["dead"]["breadcrumbs"]["values"]
    assert crumbs[-1]["message"] == "job dead: links.enrich"
    assert CANARY.encode() not in kept.sent
    assert USER.encode() not in kept.sent


def test_an_error_of_the_database_says_no_addresses(
    client: lh.Client, database: Database, web: OddWeb, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database.write() as connection:
        connection.exec_driver_sql("CREATE TABLE links_odd (url text CHECK (url = ''))")
    broken = "INSERT INTO links_odd VALUES (:url)"

    def keep(connection: Any, _learnt: object) -> None:
        from sqlalchemy import text

        connection.execute(text(broken), {"url": CANARY})

    monkeypatch.setattr("leasehold_links.enriching.enricher.learning.keep", keep)
    import_for(client, database, USER, web.put("a.test", f"/{CANARY}", page("A")))
    make_worker(client, observers=[Sentry(failed=True)]).run(until_empty=True)
    with database.write() as connection:
        connection.exec_driver_sql("DROP TABLE links_odd")
    (event,) = kept.events
    assert event["exception"]["values"][-1]["type"] == "DatabaseFailed"
    (job,) = client.find(kind="links.enrich")
    assert job.error is not None
    assert CANARY not in job.error
    assert CANARY.encode() not in kept.sent
