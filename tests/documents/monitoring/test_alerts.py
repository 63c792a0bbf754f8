"""People are told by the engine's alerts, and health fails where nobody works."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

import leasehold as lh
from leasehold.alerting import AlertWatch
from leasehold.kit.data import Database
from leasehold_documents.monitoring import alert_config, alerts_of, health
from leasehold_documents.settings import Settings
from tests.documents.access.kit import Two, make_two
from tests.documents.data.kit import enqueue, extract, run
from tests.watch.servers import Mailbox, mail_server


@pytest.fixture
def two(database: Database) -> Two:
    return make_two(database)


@pytest.fixture
def mail() -> Iterator[Mailbox]:
    with mail_server() as mailbox:
        yield mailbox


def test_more_than_100_jobs_are_a_warning_in_the_log(
    queue: lh.Client, database: Database, two: Two, caplog: pytest.LogCaptureFixture
) -> None:
    tenant = queue.for_tenant(str(two.first))
    tenant.enqueue_many(extract.call(two.first, "unstructured_fast") for _ in range(101))
    with caplog.at_level(logging.WARNING):
        AlertWatch(queue, alert_config(Settings())).step()
    (alert,) = [each for each in alerts_of(queue, database) if each.name == "depth"]
    assert (alert.subject, alert.value) == ("documents", 101.0)
    assert any(each.levelno == logging.WARNING for each in caplog.records)


def test_more_than_10_deaths_in_an_hour_are_mailed_to_the_admin(
    queue: lh.Client, database: Database, two: Two, mail: Mailbox
) -> None:
    said = Settings(
        smtp_host="127.0.0.1",
        smtp_port=mail.port,
        smtp_security="none",
        smtp_from="jobs@example.com",
        admin_email="admin@example.com",
    )
    watch = AlertWatch(queue, alert_config(said))
    for _ in range(10):
        enqueue(queue, two.first, "die")
    run(queue)
    watch.step()
    assert not [each for each in alerts_of(queue, database) if each.name == "dead"]
    enqueue(queue, two.second, "die")
    run(queue)
    AlertWatch(queue, alert_config(said)).look()
    watch.tell()
    (letter,) = mail.letters
    assert "11 jobs died" in letter


def test_without_a_mail_server_the_log_is_told(queue: lh.Client, two: Two) -> None:
    assert list(alert_config(Settings(admin_email="admin@example.com")).sinks) == ["log"]


def test_health_fails_when_no_worker_was_seen_for_too_long(queue: lh.Client) -> None:
    run(queue)
    assert health(queue).is_ok
    silent = health(queue, silence_seconds=-1.0)
    assert not silent.is_ok
    assert "no worker was seen" in silent.reasons[0]


def test_health_fails_without_a_database() -> None:
    with lh.Client("postgresql://nobody@127.0.0.1:1/nothing") as client:
        assert not health(client).is_ok
