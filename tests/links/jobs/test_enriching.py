"""Enrichments over real HTTP: every row of the table of outcomes, as it is stored."""

from __future__ import annotations

import gzip
from typing import Any

import pytest

import leasehold as lh
from leasehold_links.data.database import Database
from tests.links.jobs.kit import enrich_urls, known, rows
from tests.links.odd_web import HTML, OddWeb, Reply, page

Given = tuple[lh.Client, Database, OddWeb]


@pytest.fixture
def given(client: lh.Client, database: Database, web: OddWeb) -> Given:
    return client, database, web


def enrich_one(given: Given, url: str) -> tuple[dict[str, Any], str]:
    """Enrich an address; returns what is known of it, and the state of its job."""
    client, database, _ = given
    (row,) = enrich_urls(client, database, url).values()
    return row, str(client.get(row["job_id"]).state)


def test_a_page_says_its_title_description_and_picture(given: Given) -> None:
    web = given[2]
    url = web.put(
        "a.test",
        "/x",
        page("A title", '<meta property="og:image" content="/i.png"><p>' + "Words. " * 20),
    )
    row, state = enrich_one(given, url)
    assert (state, row["title"], row["status"], row["reason"]) == (
        "succeeded",
        "A title",
        200,
        None,
    )
    assert row["image"] == web.url("a.test", "/i.png")
    assert row["description"].startswith("Words.")
    assert web.seen["a.test/x"] == 1


@pytest.mark.parametrize(
    ("reply", "state", "reason"),
    [
        ((404, HTML, b""), "dead", "not_found"),
        ((401, HTML, b""), "dead", "unauthorised"),
        ((402, HTML, b""), "dead", "payment"),
        ((410, HTML, b""), "dead", "gone"),
        ((451, HTML, b""), "dead", "legal"),
        ((418, HTML, b""), "dead", "client_error"),
        ((403, HTML, b""), "failed", "forbidden"),
        ((500, HTML, b""), "failed", "server_error"),
        ((429, HTML, b""), "queued", "busy"),
        ((503, HTML | {"Retry-After": "7200"}, b""), "queued", "busy"),
        ((200, HTML | {"cf-mitigated": "challenge"}, b"<p>"), "dead", "captcha"),
        ((403, HTML | {"cf-mitigated": "challenge"}, b"<p>"), "dead", "captcha"),
        (page("Just a moment..."), "dead", "captcha"),
        ((302, {"Location": "https://geo.captcha-delivery.com/x"}, b""), "dead", "captcha"),
        ((302, {"Location": "http://127.0.0.1:1/"}, b""), "dead", "ssrf_blocked"),
        ((302, {"Location": "http://10.0.0.1/"}, b""), "dead", "ssrf_blocked"),
        ((302, {"Location": "ftp://a.test/"}, b""), "dead", "redirects"),
        ((302, {"Location": "/x"}, b""), "dead", "redirects"),
    ],
)
def test_each_answer_has_its_outcome(given: Given, reply: Reply, state: str, reason: str) -> None:
    url = given[2].put("a.test", "/x", reply)
    row, found = enrich_one(given, url)
    assert (found, row["reason"]) == (state, reason)
    assert row["title"] is None


def test_robots_are_asked_first_and_once(given: Given) -> None:
    client, database, web = given
    web.put("a.test", "/robots.txt", (200, {}, b"User-agent: *\nDisallow: /private"))
    open_, closed = (
        web.put("a.test", "/open", page("Open")),
        web.put("a.test", "/private/x", page("No")),
    )
    found = enrich_urls(client, database, open_, closed)
    assert (found[open_]["title"], found[closed]["reason"]) == ("Open", "robots")
    assert (web.seen["a.test/robots.txt"], web.seen["a.test/private/x"]) == (1, 0)
    assert rows(database, "SELECT domain, state FROM links_domain") == [("a.test", "candidate")]


def test_rules_that_can_not_be_had_mean_later(given: Given) -> None:
    web = given[2]
    web.put("a.test", "/robots.txt", (503, {}, b""))
    row, state = enrich_one(given, web.put("a.test", "/x", page("X")))
    assert (state, row["reason"], web.seen["a.test/x"]) == ("failed", "robots_unreachable", 0)


def test_a_blocked_domain_is_not_asked(given: Given) -> None:
    _, database, web = given
    with database.write() as connection:
        connection.exec_driver_sql(
            "INSERT INTO links_domain (domain, state, created_at)"
            " VALUES ('a.test', 'blocked', '2026-01-01T00:00:00+00:00')"
        )
    row, state = enrich_one(given, web.put("a.test", "/x", page("X")))
    assert (state, row["reason"], dict(web.seen)) == ("dead", "blocked", {})


def test_a_busy_server_is_left_alone_by_all_of_its_links(given: Given) -> None:
    client, database, web = given
    urls = [web.put("a.test", f"/{each}", (429, HTML, b"")) for each in range(4)]
    enrich_urls(client, database, *urls)
    assert sum(web.seen[f"a.test/{each}"] for each in range(4)) <= 2
    (paused,) = [each for each in client.throttles.list() if each.name == "domain:a.test"]
    assert paused.paused_until is not None


def test_a_redirect_within_the_domain_is_followed(given: Given) -> None:
    web = given[2]
    web.put("www.a.test", "/y", page("Y"))
    url = web.put("a.test", "/x", (301, {"Location": web.url("www.a.test", "/y")}, b""))
    row, state = enrich_one(given, url)
    assert (state, row["title"], row["final_url"]) == (
        "succeeded",
        "Y",
        web.url("www.a.test", "/y"),
    )


def test_a_redirect_to_another_domain_takes_a_turn_there(given: Given) -> None:
    client, database, web = given
    web.put("b.test", "/y", page("Y"))
    url = web.put("a.test", "/x", (301, {"Location": web.url("b.test", "/y")}, b""))
    row, state = enrich_one(given, url)
    assert (state, row["title"]) == ("succeeded", "Y")
    jobs = client.find(kind="links.enrich")
    assert sorted(str(job.state) for job in jobs) == ["cancelled", "succeeded"]
    assert known(database, url)["job_id"] == row["job_id"]


def test_a_file_is_called_by_its_name(given: Given) -> None:
    web = given[2]
    url = web.put("a.test", "/My%20paper.pdf", (200, {"Content-Type": "application/pdf"}, b"%PDF"))
    row, state = enrich_one(given, url)
    assert (state, row["title"], row["content_type"]) == (
        "succeeded",
        "My paper.pdf",
        "application/pdf",
    )


@pytest.mark.parametrize(
    ("text", "encoding"), [("안녕하세요 여러분", "euc-kr"), ("日本語の頁", "shift_jis")]
)
def test_a_page_in_another_encoding(given: Given, text: str, encoding: str) -> None:
    body = f"<title>{text}</title>".encode(encoding)
    url = given[2].put(
        "a.test", "/x", (200, {"Content-Type": f"text/html; charset={encoding}"}, body)
    )
    assert enrich_one(given, url)[0]["title"] == text


def test_a_bomb_is_stopped_at_the_cap_and_what_came_is_read(given: Given) -> None:
    body = b"<title>Large</title>" + b" " * 30_000_000
    headers = HTML | {"Content-Encoding": "gzip"}
    url = given[2].put("a.test", "/x", (200, headers, gzip.compress(body)))
    row, state = enrich_one(given, url)
    assert (state, row["title"]) == ("succeeded", "Large")


def test_never_more_than_two_at_once_at_a_domain(given: Given) -> None:
    client, database, web = given
    web.seconds = 0.02
    urls = [web.put("a.test", f"/{each}", page(str(each))) for each in range(30)]
    others = [web.put(f"b{each}.test", "/", page("b")) for each in range(10)]
    found = enrich_urls(client, database, *urls, *others)
    assert all(row["title"] for row in found.values())
    assert web.most["a.test"] <= 2
