"""Pages that nobody should be able to break: read only, foreign forms, nonsense."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import leasehold as lh
from leasehold.web import WebSettings
from tests.web.pages import PATHS, Pages
from tests.web.tasks import add

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.client import Client
    from tests.web.kit import Service


@pytest.fixture
def pages(service: Service) -> Pages:
    return Pages(service)


def test_a_form_leads_back_to_our_own_pages_only(pages: Pages, client: Client) -> None:
    client.enqueue(add, 1)
    for back in ("https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:x"):
        answer = pages.send("/queues/pause", {"name": "sums", "back": back})
        assert answer.headers["location"] == "/queues"


def test_read_only_shows_no_action_and_does_none(
    serve: Callable[[WebSettings], Service], client: Client
) -> None:
    pages = Pages(serve(WebSettings(is_read_only=True)))
    job = client.enqueue(add, 1)
    client.throttles.set("domain", running=2)
    client.schedules.set("nightly", "0 3 * * *", add.call(1))
    for path in (*PATHS, f"/jobs/{job.id}"):
        assert 'method="post"' not in pages.get(path).text, path
    pages.send(f"/jobs/{job.id}/cancel", {"confirm": "yes"}, status=403)
    assert client.get(job.id).state is lh.State.QUEUED


def test_another_sites_form_changes_nothing(pages: Pages, client: Client) -> None:
    job = client.enqueue(add, 1)
    foreign = {"origin": "https://evil.example"}
    pages.send(f"/jobs/{job.id}/cancel", {"confirm": "yes"}, status=403, headers=foreign)
    assert client.get(job.id).state is lh.State.QUEUED


NASTY = ("\x00", "a\x00b", "\ud7ff\uffff", "%00", "'; --", "\n", "9" * 400, "-1", "💥" * 90, " ")


@pytest.mark.parametrize("value", NASTY)
def test_nonsense_in_an_address_is_answered_not_crashed_on(pages: Pages, value: str) -> None:
    words = ("state", "queue", "kind", "tenant", "batch", "key", "q", "before")
    asked = [("/jobs", {word: value}) for word in words]
    asked += [("/batches", {word: value}) for word in ("status", "name", "before")]
    asked += [("/", {"window": value}), ("/failures", {"since": value})]
    for path, query in asked:
        answer = pages.ask("GET", path, params=query)
        assert answer.status_code < 500, (path, query)


@pytest.mark.parametrize("value", NASTY)
def test_nonsense_in_a_form_is_answered_not_crashed_on(pages: Pages, value: str) -> None:
    verbs = ("/queues/pause", "/queues/resume", "/throttles/pause", "/throttles/set")
    forms: list[tuple[str, dict[str, str]]] = [(path, {"name": value}) for path in verbs]
    forms += [("/throttles/set", {"name": "x", word: value}) for word in ("running", "rate")]
    forms += [("/queues/pause", {"name": "x", word: value}) for word in ("until", "reason")]
    forms += [("/schedules/run", {"name": value, "tenant": value})]
    forms += [("/jobs/bulk", {"verb": value}), ("/jobs/bulk", {"verb": "retry", "job": value})]
    forms += [("/jobs/bulk", {"verb": "retry", "whom": "all", "queue": value, "back": value})]
    for path, form in forms:
        answer = pages.ask("POST", path, data=form)
        assert answer.status_code < 500, (path, form)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/form-data; boundary=x", b"--x\r\nnonsense"),
        ("multipart/form-data", b"--x"),
        ("application/x-www-form-urlencoded", b"\xff\xfe=%zz&%00"),
        ("application/json", b"{}"),
        ("text/plain", b""),
    ],
)
def test_a_body_that_is_no_form_is_answered(pages: Pages, kind: str, body: bytes) -> None:
    answer = pages.ask("POST", "/queues/pause", content=body, headers={"content-type": kind})
    assert answer.status_code < 500
