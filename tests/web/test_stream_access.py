"""Open streams: nobody watches what is not theirs, and no longer than they may."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.web.serving import served
from tests.web.tasks import add
from tests.worker.kit import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.client import Client
    from tests.web.serving import Served

SOON_SECONDS = 10.0  # a revocation is seen within one or two; the machine may be busy


class Watcher(threading.Thread):
    """Reads a stream until it ends."""

    def __init__(self, service: Served, page: str, headers: dict[str, str]) -> None:
        super().__init__(daemon=True)
        self._request = {"url": f"{service.address}/live", "params": {"of": page}}
        self._headers = headers
        self.status = 0
        self.ticks = 0
        self.start()

    def run(self) -> None:
        request: dict[str, Any] = {"headers": self._headers, "timeout": 60}
        with httpx.stream("GET", **self._request, **request) as answer:  # type: ignore[arg-type] # as httpx reads it
            self.status = answer.status_code
            for line in answer.iter_lines():
                self.ticks += line == "event: tick"

    def has_begun(self) -> bool:
        return self.ticks > 0


@contextmanager
def watching(service: Served, page: str, **headers: str) -> Iterator[Watcher]:
    watcher = Watcher(service, page, headers)
    wait_until(watcher.has_begun, "the stream began")
    yield watcher
    watcher.join(SOON_SECONDS)


def bearer(client: Client, name: str, **words: Any) -> dict[str, str]:
    return {"authorization": f"Bearer {client.tokens.add(name, **words).secret}"}


@pytest.fixture
def service(store_url: str) -> Iterator[Served]:
    with served(store_url, "--no-worker") as running:
        yield running


def test_a_stream_ends_when_its_token_is_revoked_or_its_session_is_left(
    service: Served, client: Client
) -> None:
    token = bearer(client, "gone")
    kept = bearer(client, "kept")
    secret = client.tokens.add("ana").secret
    done = httpx.post(f"{service.address}/login", data={"token": secret})
    session = {"cookie": done.headers["set-cookie"].partition(";")[0]}
    others = Watcher(service, "/jobs", kept)
    with watching(service, "/jobs", **session) as by_session:
        with watching(service, "/jobs", **token) as by_token:
            client.tokens.revoke("gone")
        assert not by_token.is_alive()
        assert by_session.is_alive()
        csrf = _csrf(service, session)
        headers = session | {"origin": service.address}
        httpx.post(f"{service.address}/logout", headers=headers, data={"csrf": csrf})
    assert not by_session.is_alive()
    wait_until(others.has_begun, "the other one watches")
    assert others.is_alive()
    client.tokens.revoke("kept")
    others.join(SOON_SECONDS)
    assert not others.is_alive()


def _csrf(service: Served, session: dict[str, str]) -> str:
    page = httpx.get(f"{service.address}/queues", headers=session | {"accept": "text/html"}).text
    found: str = page.partition('name="csrf" value="')[2].partition('"')[0]
    assert found
    return found


def test_who_watched_while_nobody_was_asked_is_asked_as_soon_as_there_is_a_token(
    service: Served, client: Client
) -> None:
    with watching(service, "/queues") as watcher:
        client.tokens.add("first")
    assert not watcher.is_alive()
    assert httpx.get(f"{service.address}/live?of=/queues").status_code == 401


def test_nobody_watches_what_they_may_not_see(service: Served, client: Client) -> None:
    bound = bearer(client, "bound", scope="admin", tenant="acme")
    reader = bearer(client, "reader")
    foreign = client.enqueue(add.with_options(tenant="globex"), 1).id
    for headers, page, status in (
        (bound, "/queues", 403),
        (bound, "/system", 403),
        (reader, "/audit", 403),
        (reader, "/nowhere", 404),
        ({}, "/jobs", 401),
    ):
        answer = httpx.get(f"{service.address}/live", params={"of": page}, headers=headers)
        assert answer.status_code == status, page
    with watching(service, f"/jobs/{foreign}", **bound) as watcher:
        mark = _part(service, f"/jobs/{foreign}", bound)
        assert "globex" not in mark
        client.tokens.revoke("bound")
    assert watcher.status == 200


def _part(service: Served, page: str, headers: dict[str, str]) -> str:
    asked = headers | {"hx-request": "true"}
    return httpx.get(f"{service.address}{page}", headers=asked).text


def test_what_was_made_for_one_is_never_anothers(service: Served, client: Client) -> None:
    """All watch one address; each asks with the mark of another one's change."""
    acme = bearer(client, "acme", scope="operate", tenant="acme")
    globex = bearer(client, "globex", scope="operate", tenant="globex")
    reader = bearer(client, "reader")
    for tenant in ("acme", "globex"):
        client.enqueue(add.with_options(tenant=tenant, queue=f"{tenant}-canary"), 1)
    watchers = [Watcher(service, "/jobs", headers) for headers in (acme, globex, reader)]
    for watcher in watchers:
        wait_until(watcher.has_begun, "all watch")
    marks: dict[str, str] = {}
    for name, headers in (("acme", acme), ("globex", globex), ("reader", reader)):
        answer = httpx.get(f"{service.address}/jobs", headers=headers | {"hx-request": "true"})
        marks[name] = answer.headers["etag"].strip('"')
    assert len(set(marks.values())) == 3
    for mark in marks.values():
        asked = {"hx-request": "true", "leasehold-tick": mark}
        text = httpx.get(f"{service.address}/jobs", headers=acme | asked).text
        assert "globex" not in text
        text = httpx.get(f"{service.address}/jobs", headers=reader | asked).text
        assert "/jobs/bulk" not in text
    for name in ("acme", "globex", "reader"):
        client.tokens.revoke(name)
    for watcher in watchers:
        watcher.join(SOON_SECONDS)
