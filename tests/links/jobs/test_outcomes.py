"""The table of outcomes over real HTTP: what each answer comes to, as it is stored."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_links.enriching import fetching
from leasehold_links.settings import Settings, lending
from leasehold_links.tasks import enrich
from tests.links.jobs.kit import enrich_urls, known, rows
from tests.links.odd_web import HTML, OddWeb, Reply, page
from tests.safety.strangers.certificates import Authority
from tests.safety.strangers.servers import Server, answer, saying, target_of

RETRY_SECONDS = 301.0


@dataclass(frozen=True)
class World:
    """A library, and a web to enrich it from."""

    client: lh.Client
    database: Database
    web: OddWeb

    def enrich(self, *urls: str) -> dict[str, tuple[str, str | None]]:
        """Enrich these; returns the state of each one's job, and the reason that is stored."""
        found = enrich_urls(self.client, self.database, *urls)
        return {url: (self.state_of(row), row["reason"]) for url, row in found.items()}

    def one(self, url: str) -> tuple[str, str | None]:
        return self.enrich(url)[url]

    def again(self, url: str, seconds: float = RETRY_SECONDS) -> tuple[str, str | None]:
        """Let that time pass, and work; returns what became of an address."""
        self.client.store.skew_seconds += seconds
        lh.Worker(self.client, [enrich]).run(until_empty=True)
        row = known(self.database, url)
        return self.state_of(row), row["reason"]

    def state_of(self, row: dict[str, Any]) -> str:
        return str(self.client.get(row["job_id"]).state)

    def domains(self) -> list[tuple[str, str]]:
        return rows(self.database, "SELECT domain, state FROM links_domain ORDER BY domain")


@pytest.fixture
def world(client: lh.Client, database: Database, web: OddWeb) -> World:
    return World(client, database, web)


def spread(web: OddWeb, replies: list[Reply]) -> list[str]:
    """Put each reply on a domain of its own."""
    return [web.put(f"d{number}.test", "/x", reply) for number, reply in enumerate(replies)]


# -- answers ---------------------------------------------------------------------------------------
STATUSES = {
    400: ("dead", "client_error"),
    401: ("dead", "unauthorised"),
    402: ("dead", "payment"),
    403: ("failed", "forbidden"),
    404: ("dead", "not_found"),
    405: ("dead", "client_error"),
    410: ("dead", "gone"),
    418: ("dead", "client_error"),
    451: ("dead", "legal"),
    304: ("dead", "odd_status"),
    429: ("queued", "busy"),
    500: ("failed", "server_error"),
    502: ("failed", "server_error"),
    503: ("queued", "busy"),
    504: ("failed", "server_error"),
}


def test_each_status_has_its_outcome_and_nothing_is_stored_of_its_page(world: World) -> None:
    replies = [(status, HTML, b"<title>Sorry</title>") for status in STATUSES]
    urls = spread(world.web, list(replies))
    found = world.enrich(*urls)
    assert dict(zip(STATUSES, found.values(), strict=True)) == STATUSES
    stored = [known(world.database, url) for url in urls]
    assert [row["status"] for row in stored] == list(STATUSES)
    assert {row["title"] for row in stored} == {None}
    assert world.domains() == [], "none of these makes a domain a candidate"


def test_what_may_pass_is_tried_once_more_after_five_minutes_and_then_never(world: World) -> None:
    urls = spread(world.web, [(500, HTML, b""), (403, HTML, b"")])
    world.enrich(*urls)
    assert world.again(urls[0], 290) == ("failed", "server_error")
    assert world.again(urls[0], 20) == ("dead", "server_error")
    assert world.again(urls[1], 86_400) == ("dead", "forbidden")
    assert (world.web.seen["d0.test/x"], world.web.seen["d1.test/x"]) == (2, 2)


def test_what_has_passed_is_found_at_the_second_time(world: World) -> None:
    url = world.web.put("a.test", "/x", (500, HTML, b""))
    world.one(url)
    world.web.put("a.test", "/x", page("There"))
    assert world.again(url) == ("succeeded", None)
    assert known(world.database, url)["title"] == "There"


# -- challenges ------------------------------------------------------------------------------------
MARK = HTML | {"cf-mitigated": "challenge"}
CHALLENGES: list[Reply] = [
    *((status, MARK, b"<title>x</title>") for status in (200, 403, 404, 429, 503)),
    page("Just a moment..."),
    (403, HTML, b"<title>Just a moment...</title>"),
    (503, HTML, "<title>잠시만 기다리십시오…</title>".encode()),
    (200, HTML, b"<title>Attention Required! | Cloudflare</title>"),
    (200, HTML, b'<title>a</title><script src="/cdn-cgi/challenge-platform/h/b"></script>'),
    (403, HTML, b'<iframe src="/_Incapsula_Resource?x=1"></iframe>'),
    (405, HTML, b'<script src="https://x.captcha-delivery.com/c.js"></script>'),
    (202, HTML, b"<script>window.gokuProps = {}</script>"),
    (200, HTML, b'<title>a</title><script src="https://hcaptcha.com/1/api.js"></script>'),
    (302, {"Location": "https://geo.captcha-delivery.com/captcha/?x=1"}, b""),
    (302, {"Location": "https://www.google.com/sorry/index?continue=x"}, b""),
]


def test_a_challenge_is_dead_at_once_and_its_domain_a_candidate(world: World) -> None:
    urls = spread(world.web, CHALLENGES)
    assert set(world.enrich(*urls).values()) == {("dead", "captcha")}
    assert {state for _, state in world.domains()} == {"candidate"}
    assert len(world.domains()) == len(urls)
    for url in urls:
        row = known(world.database, url)
        assert {row[name] for name in ("title", "description", "image", "final_url")} == {None}


def test_a_page_that_only_looks_like_one_is_a_page(world: World) -> None:
    long = "A page about robots and those who are none. " * 60
    urls = spread(
        world.web,
        [
            page("How a captcha works", f"<p>{long}</p>"),
            (404, HTML, b'<script src="https://hcaptcha.com/1/api.js"></script>'),
        ],
    )
    assert list(world.enrich(*urls).values()) == [("succeeded", None), ("dead", "not_found")]
    assert world.domains() == []


# -- redirects -------------------------------------------------------------------------------------
def chain(web: OddWeb, name: str, length: int, hosts: int = 1) -> str:
    """Make so many redirects, over so many domains, and a page at their end."""
    for step in range(length):
        host, following = (f"{name}{each % hosts}.test" for each in (step, step + 1))
        web.put(host, f"/{step}", (302, {"Location": web.url(following, f"/{step + 1}")}, b""))
    web.put(f"{name}{length % hosts}.test", f"/{length}", page("End"))
    return web.url(f"{name}0.test", "/0")


@pytest.mark.parametrize("hosts", [1, 2, 6])
def test_five_redirects_are_followed_and_no_sixth(world: World, hosts: int) -> None:
    five, six = chain(world.web, "five", 5, hosts), chain(world.web, "six", 6, hosts)
    found = world.enrich(five, six)
    assert found == {five: ("succeeded", None), six: ("dead", "redirects")}
    assert known(world.database, five)["title"] == "End"
    assert known(world.database, five)["final_url"].endswith("/5")
    assert all(count == 1 for count in world.web.seen.values())


def test_a_circle_and_what_is_no_web_address_end_at_once(world: World) -> None:
    web = world.web
    replies = {
        "loop": "/x",
        "ftp": "ftp://a.test/x",
        "file": "file:///etc/passwd",
        "script": "javascript:alert(1)",
        "data": "data:text/html,x",
        "mail": "mailto:a@a.test",
    }
    urls = [
        web.put(f"{name}.test", "/x", (302, {"Location": location}, b""))
        for name, location in replies.items()
    ]
    web.put("other.test", "/", (302, {"Location": web.url("round.test", "/")}, b""))
    urls.append(web.put("round.test", "/", (302, {"Location": web.url("other.test", "/")}, b"")))
    assert set(world.enrich(*urls).values()) == {("dead", "redirects")}


def test_a_redirect_that_leads_nowhere_is_an_odd_answer(world: World) -> None:
    assert world.one(world.web.put("a.test", "/x", (302, HTML, b""))) == ("dead", "odd_status")


def test_a_redirect_to_another_domain_takes_a_turn_there(world: World) -> None:
    web = world.web
    web.put("b.test", "/y", page("Y"))
    url = web.put("a.test", "/x", (301, {"Location": web.url("b.test", "/y")}, b""))
    assert world.one(url) == ("succeeded", None)
    jobs = world.client.find(kind="links.enrich")
    assert sorted(str(job.state) for job in jobs) == ["cancelled", "succeeded"]
    assert {job.lane for job in jobs} == {"domain:a.test", "domain:b.test"}
    assert known(world.database, url)["title"] == "Y"


def test_a_redirect_to_a_blocked_domain_ends_there(world: World) -> None:
    web = world.web
    web.put("b.test", "/y", page("Y"))
    url = web.put("a.test", "/x", (301, {"Location": web.url("b.test", "/y")}, b""))
    with world.database.write() as connection:
        connection.exec_driver_sql(
            "INSERT INTO links_domain (domain, state, created_at)"
            " VALUES ('b.test', 'blocked', '2026-01-01T00:00:00+00:00')"
        )
    assert world.one(url) == ("dead", "blocked")
    assert web.seen["b.test/y"] == 0


# -- where nobody may be led -----------------------------------------------------------------------
FORBIDDEN = [
    "http://127.0.0.1/",
    "http://127.0.0.1:8080/",
    "http://127.1/",
    "http://0.0.0.0/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://10.0.0.1/",
    "http://172.16.0.1/",
    "http://192.168.1.1/",
    "http://100.64.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[fe80::1]/",
    "http://[fd00::1]/",
    "http://inside.test/",
    "http://a.test:22/",
    "http://a.test:25/",
    "http://a.test:8081/",
    "https://a.test:6379/",
]


def test_no_link_leads_into_a_private_network_nor_to_another_port(world: World) -> None:
    said = Settings(names={"inside.test": "10.0.0.1", "a.test": "127.0.0.1"})
    with lending(said):
        found = world.enrich(*FORBIDDEN)
    assert {url for url, came in found.items() if came != ("dead", "ssrf_blocked")} == set()
    assert world.domains() == []


def test_no_redirect_leads_there_either_at_any_hop(world: World) -> None:
    web = world.web
    hops = [url for url in FORBIDDEN if "test" not in url]
    urls = spread(web, [(302, {"Location": url}, b"") for url in hops])
    urls += [
        web.put(f"e{each}.test", "/", (302, {"Location": f"http://d{each}.test:{web.port}/x"}, b""))
        for each in range(3)
    ]
    assert set(world.enrich(*urls).values()) == {("dead", "ssrf_blocked")}


def test_a_name_that_changes_its_address_or_has_a_private_one_too_is_refused(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up: list[str] = []

    def resolve(host: str, _port: int) -> list[str]:
        looked_up.append(host)
        if host.startswith("both"):
            return ["127.0.0.1", "10.0.0.1"]
        return ["127.0.0.1"] if looked_up.count(host) == 1 else ["10.0.0.1"]

    monkeypatch.setattr(fetching, "system_resolver", resolve)
    urls = [world.web.put(f"{name}.example.com", "/x", page("X")) for name in ("turns", "both")]
    with lending(Settings(allow=(f"127.0.0.1:{world.web.port}",))):
        assert set(world.enrich(*urls).values()) == {("dead", "ssrf_blocked")}
    assert set(world.web.seen) == {"turns.example.com/robots.txt"}


def test_the_four_ports_of_the_web_are_open(world: World) -> None:
    urls = ["http://a.test/", "http://b.test:8080/", "http://c.test:8443/", "http://d.test:443/"]
    for url in urls:
        world.web.put(url[7:13], "/", page("Open"))
    with lending(Settings(routes={"test": f"127.0.0.1:{world.web.port}"})):
        assert set(world.enrich(*urls).values()) == {("succeeded", None)}


def test_a_link_with_a_password_is_fetched_without_it(world: World) -> None:
    web = world.web
    web.put("a.test", "/x", page("Open"))
    url = f"http://ada:secret@a.test:{web.port}/x"
    assert world.one(url) == ("succeeded", None)
    assert "secret" not in known(world.database, url)["final_url"]


# -- no answer -------------------------------------------------------------------------------------
def test_names_that_are_not_found_are_tried_once_more(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(host: str, port: int) -> list[str]:
        raise socket.gaierror(f"{host}:{port} is not known")

    monkeypatch.setattr(fetching, "system_resolver", unknown)
    url = "http://nowhere.example/"
    assert world.one(url) == ("failed", "dns")
    assert world.again(url) == ("dead", "dns")


def test_connections_that_fail_are_tried_once_more(world: World, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    tls = Authority(tmp_path).serving("other.test")
    with Server(saying(b""), tls=tls) as stranger, Server(saying(b"rubbish\r\n\r\n")) as odd:
        here = [f"127.0.0.1:{each}" for each in (port, world.web.port, stranger.port, odd.port)]
        urls = {
            f"http://closed.test:{port}/": "connection",
            f"https://plain.test:{world.web.port}/": "tls",
            f"https://stranger.test:{stranger.port}/": "tls",
            f"http://odd.test:{odd.port}/": "robots_unreachable",
        }
        with lending(Settings(allow=tuple(here), names={"test": "127.0.0.1"})):
            found = world.enrich(*urls)
            assert found == {url: ("failed", reason) for url, reason in urls.items()}
            last = world.again(list(urls)[-1])
    assert last == ("dead", "robots_unreachable")
    assert {world.state_of(known(world.database, url)) for url in urls} == {"dead"}


def test_an_answer_that_is_none_is_tried_once_more(world: World) -> None:
    def script(connection: socket.socket, request: bytes) -> None:
        is_robots = target_of(request) == "/robots.txt"
        connection.sendall(answer(status="404 Not Found") if is_robots else b"\0")

    with Server(script) as odd:
        allow = (f"127.0.0.1:{odd.port}",)
        with lending(Settings(allow=allow, names={"test": "127.0.0.1"})):
            assert world.one(f"http://a.test:{odd.port}/x") == ("failed", "bad_answer")


def test_a_server_that_says_nothing_is_given_up_in_time(world: World) -> None:
    allow = (f"127.0.0.1:{world.web.port}",)
    url = world.web.put("a.test", "/x", lambda: wait_for_ever(world.web))
    with lending(Settings(allow=allow, names={"test": "127.0.0.1"}, page_seconds=0.3)):
        assert world.one(url) == ("failed", "timeout")


def wait_for_ever(web: OddWeb) -> Reply:
    web._ending.wait(5)
    return page("Too late")


def test_a_link_that_nobody_has_any_more_is_not_fetched(world: World) -> None:
    job = world.client.enqueue(enrich, world.client.ids.next(), "a.test", "ada")
    lh.Worker(world.client, [enrich]).run(until_empty=True)
    assert world.client.get(job.id).state is lh.State.SUCCEEDED
    assert dict(world.web.seen) == {}
