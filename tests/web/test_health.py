"""Health: alive as long as the process answers, ready as long as jobs are worked off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold.errors import SchemaMismatch, StoreUnavailable
from leasehold.web import WebSettings
from leasehold.worker import Worker
from tests.web.tasks import REGISTRY

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.client import Client
    from tests.web.kit import Service

    Serve = Callable[[WebSettings], Service]


def reasons(service: Service) -> str:
    problem = service.refused(503, "GET", "/health/ready")
    assert problem["type"] == "urn:leasehold:problem:not-ready"
    return "; ".join(problem["about"]["reasons"])


def test_it_is_ready_while_a_worker_shows_itself_idle_or_not(
    service: Service, client: Client
) -> None:
    client.store.skew_seconds = 10_000  # the tables were made long ago
    assert "no worker was seen for 300 s" in reasons(service)
    with Worker(client, REGISTRY, grace="2s"):
        assert service.get("/health/ready") == {"status": "ok"}


def test_a_worker_that_ended_lately_counts_until_the_time_is_over(
    service: Service, client: Client
) -> None:
    """Else each roll-out of new workers would take the service out of its load balancer."""
    with Worker(client, REGISTRY, grace="2s"):
        pass
    assert service.get("/health/ready") == {"status": "ok"}
    client.store.skew_seconds = 301
    assert "no worker" in reasons(service)


def test_a_worker_that_fell_silent_counts_no_more(service: Service, client: Client) -> None:
    with Worker(client, REGISTRY, grace="2s"):
        client.store.skew_seconds = 299
        assert service.get("/health/ready") == {"status": "ok"}
        client.store.skew_seconds = 10_000
        assert "no worker" in reasons(service)


def test_a_look_at_the_status_alone_is_answered_too(serve: Serve) -> None:
    service = serve(WebSettings(needs_worker=False))
    for path in ("/health/live", "/health/ready"):
        assert service.ask("HEAD", path).status_code == 200


def test_it_may_do_without_workers(serve: Serve) -> None:
    assert serve(WebSettings(needs_worker=False)).get("/health/ready") == {"status": "ok"}


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (StoreUnavailable("no route to db.internal"), "can't be reached"),
        (SchemaMismatch("run `leasehold migrate`"), "leasehold migrate"),
    ],
)
def test_a_database_that_can_not_be_used_is_a_reason(
    serve: Serve, client: Client, monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    def fail() -> None:
        raise error

    service = serve(WebSettings(needs_worker=False))
    monkeypatch.setattr(client.store, "check_schema", fail)
    told = reasons(service)
    assert words in told
    assert "internal" not in told
    assert service.get("/health/live") == {"status": "ok"}
