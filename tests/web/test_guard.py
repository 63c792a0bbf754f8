"""Who may ask: names, other sites' pages, read-only, sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold.web import WebSettings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from leasehold.client import Client
    from tests.web.kit import Service

    Serve = Callable[[WebSettings], Service]

JOB = {"kind": "web.add", "args": {"left": 1}}


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.1:8320", "localhost:80", "LOCALHOST", "[::1]:8320", "[::1]"]
)
def test_loopback_has_many_names(service: Service, host: str) -> None:
    assert service.get("/health/live", headers={"host": host}) == {"status": "ok"}


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "", "127.0.0.1@evil.example", "[::1", "x:y"]
)
def test_a_name_that_was_not_allowed_is_refused(service: Service, host: str) -> None:
    problem = service.refused(421, "GET", "/health/live", headers={"host": host})
    assert problem["type"] == "urn:leasehold:problem:unknown-host"


def test_more_names_can_be_allowed(serve: Serve) -> None:
    named = serve(WebSettings(hosts=("Jobs.example.org",)))
    assert named.get("/health/live", headers={"host": "jobs.example.org:443"})
    assert named.refused(421, "GET", "/health/live", headers={"host": "example.org"})
    assert serve(WebSettings(hosts=("*",))).get("/health/live", headers={"host": "any.example"})


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "http://127.0.0.1"},
        {"sec-fetch-site": "same-origin", "origin": "https://behind.a.proxy"},
        {"sec-fetch-site": "none"},
    ],
)
def test_our_own_pages_and_programs_may_change_things(
    service: Service, headers: dict[str, str]
) -> None:
    assert service.ask("POST", "/api/jobs", json=JOB, headers=headers).status_code == 201


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site", "origin": "http://127.0.0.1"},
    ],
)
def test_another_sites_page_changes_nothing(
    service: Service, client: Client, headers: dict[str, str]
) -> None:
    problem = service.refused(403, "POST", "/api/jobs", json=JOB, headers=headers)
    assert problem["type"] == "urn:leasehold:problem:cross-site"
    assert client.find() == []


def test_another_sites_page_may_link_to_ours(service: Service) -> None:
    assert service.get("/api/jobs", headers={"sec-fetch-site": "cross-site"})["jobs"] == []


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("path", ["/api/jobs", "/worker", "/nowhere"])
def test_read_only_refuses_every_change(serve: Serve, method: str, path: str) -> None:
    watched = serve(WebSettings(is_read_only=True))
    problem = watched.refused(403, method, path, json=JOB)
    assert problem["type"] == "urn:leasehold:problem:read-only"
    assert watched.get("/api/jobs")["jobs"] == []


def test_a_body_that_says_it_is_too_large_is_not_read(serve: Serve) -> None:
    seen: list[bytes] = []

    async def pieces() -> AsyncIterator[bytes]:
        seen.append(b" ")
        yield b" " * 1_001

    small = serve(WebSettings(body_limit=1_000))
    headers = {"content-type": "application/json", "content-length": "1001"}
    assert small.refused(413, "POST", "/api/jobs", content=pieces(), headers=headers)
    assert seen == []


def test_a_body_that_turns_out_too_large_is_cut_off(serve: Serve) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b" " * 100

    small = serve(WebSettings(body_limit=1_000))
    headers = {"content-type": "application/json"}
    assert small.refused(413, "POST", "/api/jobs", content=pieces(), headers=headers)
