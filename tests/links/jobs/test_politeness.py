"""Who is asked first, who is left alone, and who takes turns."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

import leasehold as lh
from leasehold_links.bookmarks.values import Bookmark
from leasehold_links.data.tables import canonical, evidence, robots
from leasehold_links.settings import Settings, lending
from leasehold_links.tasks import enrich
from leasehold_links.uploading import add_link
from tests.links.jobs.kit import known
from tests.links.jobs.test_curating import import_for
from tests.links.jobs.test_outcomes import World, world
from tests.links.odd_web import HTML, Reply, page

__all__ = ["world"]

RULES: Reply = (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /private")


def work(world: World) -> None:
    lh.Worker(world.client, [enrich], slots=10).run(until_empty=True)


# -- robots.txt ------------------------------------------------------------------------------------
def test_robots_are_asked_first_and_once(world: World) -> None:
    web = world.web
    web.put("a.test", "/robots.txt", RULES)
    opened, closed = (
        web.put("a.test", "/open", page("Open")),
        web.put("a.test", "/private/x", page("No")),
    )
    found = world.enrich(opened, closed)
    assert found == {opened: ("succeeded", None), closed: ("dead", "robots")}
    assert (web.seen["a.test/robots.txt"], web.seen["a.test/private/x"]) == (1, 0)
    assert world.domains() == [("a.test", "candidate")]


def test_rules_are_remembered_for_a_day_and_no_longer(world: World) -> None:
    web = world.web
    web.put("a.test", "/robots.txt", RULES)
    for path in ("/1", "/2"):  # each with a worker of its own, which has nothing in mind
        assert world.one(web.put("a.test", path, page("X"))) == ("succeeded", None)
    assert web.seen["a.test/robots.txt"] == 1
    yesterday = datetime.now(UTC) - timedelta(hours=24, seconds=1)
    with world.database.write() as connection:
        connection.execute(robots.update().values(fetched_at=yesterday))
    world.one(web.put("a.test", "/3", page("X")))
    assert web.seen["a.test/robots.txt"] == 2


def test_without_rules_all_is_allowed(world: World) -> None:
    web = world.web
    urls = []
    for status in (400, 401, 403, 404, 410, 429):
        web.put(f"s{status}.test", "/robots.txt", (status, {}, b"Disallow: /"))
        urls.append(web.put(f"s{status}.test", "/x", page("X")))
    web.put("away.test", "/robots.txt", (301, {"Location": web.url("s404.test", "/r")}, b""))
    web.put("circle.test", "/robots.txt", (301, {"Location": "/robots.txt"}, b""))
    urls += [web.put(f"{name}.test", "/x", page("X")) for name in ("away", "circle")]
    assert set(world.enrich(*urls).values()) == {("succeeded", None)}
    assert web.seen["s404.test/r"] == 0, "to ask there would take that domain's turn"


def test_rules_behind_a_redirect_of_the_same_domain_count(world: World) -> None:
    web = world.web
    web.put("a.test", "/robots.txt", (301, {"Location": web.url("www.a.test", "/r.txt")}, b""))
    web.put("www.a.test", "/r.txt", RULES)
    assert world.one(web.put("a.test", "/private/x", page("No"))) == ("dead", "robots")


def test_while_rules_can_not_be_had_nothing_is_fetched_and_they_are_asked_for_once(
    world: World,
) -> None:
    web = world.web
    web.put("a.test", "/robots.txt", (503, {}, b""))
    web.put("b.test", "/robots.txt", lambda: (web._ending.wait(5), RULES)[1])
    urls = [web.put("a.test", f"/{each}", page("X")) for each in range(5)]
    urls.append(web.put("b.test", "/x", page("X")))
    said = Settings(allow=(f"127.0.0.1:{web.port}",), names={"test": "127.0.0.1"}, page_seconds=0.5)
    with lending(said):
        found = world.enrich(*urls)
    assert set(found.values()) == {("failed", "robots_unreachable")}
    assert set(web.seen) == {"a.test/robots.txt", "b.test/robots.txt"}
    assert set(web.seen.values()) == {1}
    web.put("a.test", "/robots.txt", RULES)
    web.put("b.test", "/robots.txt", RULES)
    assert world.again(urls[0]) == ("succeeded", None)


# -- 403 -------------------------------------------------------------------------------------------
def test_the_third_address_with_403_tells_of_the_domain(world: World) -> None:
    urls = [world.web.put("a.test", f"/{each}", (403, HTML, b"")) for each in range(4)]
    found = world.enrich(*urls)
    assert sorted(found.values()) == [("dead", "forbidden")] * 2 + [("failed", "forbidden")] * 2
    assert world.domains() == [("a.test", "candidate")]
    assert world.again(urls[0]) == ("dead", "forbidden")


def test_one_address_is_counted_once_and_for_a_day(world: World) -> None:
    web = world.web
    first = [web.put("a.test", f"/{each}", (403, HTML, b"")) for each in range(2)]
    world.enrich(*first)
    world.again(first[0])  # both again: two addresses still
    assert world.domains() == []
    before = datetime.now(UTC) - timedelta(hours=24, seconds=1)
    with world.database.write() as connection:
        connection.execute(evidence.update().values(seen_at=before))
    assert world.one(web.put("a.test", "/3", (403, HTML, b""))) == ("failed", "forbidden")


# -- 429 and 503 -----------------------------------------------------------------------------------
def test_a_busy_server_is_left_alone_for_as_long_as_it_asks_within_bounds(world: World) -> None:
    web = world.web
    in_two_hours = format_datetime(datetime.now(UTC) + timedelta(hours=2), usegmt=True)
    asked = {
        "none": (None, 300),
        "little": ("1", 300),
        "hour": ("3600", 3600),
        "date": (in_two_hours, 7200),
        "junk": ("soon", 300),
        "month": ("2592000", 86_400),
    }
    urls = [
        web.put(
            f"{name}.test",
            "/x",
            (503 if name == "hour" else 429, HTML | ({"Retry-After": text} if text else {}), b""),
        )
        for name, (text, _) in asked.items()
    ]
    assert set(world.enrich(*urls).values()) == {("queued", "busy")}
    paused = {each.name: each.paused_until for each in world.client.throttles.list()}
    now = world.client.store.now()
    for name, (_, seconds) in asked.items():
        until = paused[f"domain:{name}.test"]
        assert until is not None
        assert abs((until - now).total_seconds() - seconds) < 60
        job = world.client.get(known(world.database, web.url(f"{name}.test", "/x"))["job_id"])
        assert job.run_at is not None
        assert abs((job.run_at - now).total_seconds() - seconds) < 60


def test_the_whole_domain_pauses_and_nobody_elses(world: World) -> None:
    web = world.web
    urls = [web.put("a.test", f"/{each}", (429, HTML, b"")) for each in range(6)]
    other = web.put("b.test", "/", page("B"))
    found = world.enrich(*urls, other)
    assert found[other] == ("succeeded", None)
    assert sum(web.seen[f"a.test/{each}"] for each in range(6)) <= 2, "those that were under way"
    for each in range(6):
        web.put("a.test", f"/{each}", page("A"))
    assert world.again(urls[5]) == ("succeeded", None)


@pytest.mark.parametrize(
    "before",
    [{"snoozes": 5}, {"snoozed_since": datetime.now(UTC) - timedelta(hours=24, seconds=1)}],
)
def test_a_server_that_is_always_busy_is_a_failure_in_the_end(
    world: World, before: dict[str, object]
) -> None:
    url = world.web.put("a.test", "/x", (429, HTML, b""))
    assert world.one(url) == ("queued", "busy")
    assert known(world.database, url)["snoozes"] == 1
    with world.database.write() as connection:
        connection.execute(canonical.update().values(**before))
    assert world.again(url) == ("failed", "busy")
    assert world.again(url) == ("dead", "busy")


def test_snoozes_are_forgotten_when_it_answers(world: World) -> None:
    url = world.web.put("a.test", "/x", (429, HTML, b""))
    world.one(url)
    world.web.put("a.test", "/x", page("X"))
    assert world.again(url) == ("succeeded", None)
    assert known(world.database, url)["snoozes"] == 0


# -- turns -----------------------------------------------------------------------------------------
def test_a_blocked_domain_is_not_asked_not_even_for_its_rules(world: World) -> None:
    with world.database.write() as connection:
        connection.exec_driver_sql(
            "INSERT INTO links_domain (domain, state, created_at)"
            " VALUES ('a.test', 'blocked', '2026-01-01T00:00:00+00:00')"
        )
    urls = [world.web.put(f"{host}a.test", "/x", page("X")) for host in ("", "www.", "b.c.")]
    assert set(world.enrich(*urls).values()) == {("dead", "blocked")}
    assert dict(world.web.seen) == {}


def test_never_more_than_two_at_once_at_a_domain_whatever_its_hosts(world: World) -> None:
    web = world.web
    web.seconds = 0.02
    urls = [web.put(f"h{each % 3}.a.test", f"/{each}", page("A")) for each in range(18)]
    others = [web.put(f"b{each}.test", "/", page("B")) for each in range(8)]
    assert set(world.enrich(*urls, *others).values()) == {("succeeded", None)}
    assert max(web.most.values()) <= 2
    assert {job.lane for job in world.client.find(kind="links.enrich", limit=18)} >= {
        "domain:a.test"
    }


def test_each_host_may_be_counted_by_itself(world: World) -> None:
    web = world.web
    said = Settings(allow=(f"127.0.0.1:{web.port}",), names={"test": "127.0.0.1"}, per_host=True)
    urls = [web.put(f"h{each % 3}.a.test", f"/{each}", page("A")) for each in range(6)]
    urls.append(web.put("x.a.test", "/", (302, {"Location": web.url("y.a.test", "/")}, b"")))
    web.put("y.a.test", "/", page("Y"))
    with lending(said):
        assert set(world.enrich(*urls).values()) == {("succeeded", None)}
    lanes = {job.lane for job in world.client.find(kind="links.enrich")}
    assert lanes == {f"domain:{host}.a.test" for host in ("h0", "h1", "h2", "x", "y")}


def test_users_take_turns(world: World) -> None:
    order: list[str] = []

    def seen(name: str) -> Reply:
        order.append(name)
        return page("X")

    urls = [world.web.put(f"a{each}.test", "/", lambda: seen("ada")) for each in range(40)]
    import_for(world.client, world.database, "ada", *urls)
    import_for(
        world.client, world.database, "bob", world.web.put("b.test", "/", lambda: seen("bob"))
    )
    lh.Worker(world.client, [enrich], slots=1).run(until_empty=True)
    assert len(order) == 41
    assert order.index("bob") < 20


def test_a_link_that_somebody_adds_goes_before_those_of_an_import(world: World) -> None:
    order: list[str] = []

    def seen(name: str) -> Reply:
        order.append(name)
        return page("X")

    urls = [world.web.put(f"a{each}.test", "/", lambda: seen("imported")) for each in range(10)]
    import_for(world.client, world.database, "ada", *urls)
    added = world.web.put("b.test", "/", lambda: seen("added"))
    add_link(world.client, world.database, "ada", Bookmark(url=added, title="B"))
    lh.Worker(world.client, [enrich], slots=1).run(until_empty=True)
    assert order.index("added") <= 1
