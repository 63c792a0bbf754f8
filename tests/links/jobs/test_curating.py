"""What people do with dead letters and domains: only their own, and only what they ask for."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from sqlalchemy import select

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_links import curating
from leasehold_links.curating import Requeued
from leasehold_links.data.enrichments import DeadGroup, Wanted
from leasehold_links.data.tables import link
from leasehold_links.errors import BadDomain, LinkNotFound
from leasehold_links.tasks import DOMAIN, enrich
from tests.links.jobs.kit import begin_import, enrich_urls, known, rows, run_imports
from tests.links.odd_web import HTML, OddWeb, page

ADA, BOB = Wanted(user_id="ada"), Wanted(user_id="bob")


def work(client: lh.Client) -> None:
    lh.Worker(client, [enrich]).run(until_empty=True)


def link_of(database: Database, url: str, user: str = "ada") -> UUID:
    with database.read() as connection:
        found = connection.scalar(
            select(link.c.id).where(link.c.url == url, link.c.user_id == user)
        )
    assert isinstance(found, UUID)
    return found


def import_for(client: lh.Client, database: Database, user: str, *urls: str) -> None:
    entries = "".join(f'<DT><A HREF="{url}">x</A>' for url in urls)
    text = f"<!DOCTYPE NETSCAPE-Bookmark-file-1><DL>{entries}</DL>"
    begin_import(client, database, text.encode(), user)
    run_imports(client)


@pytest.fixture
def graves(client: lh.Client, database: Database, web: OddWeb) -> list[str]:
    """Dead letters of ada: two of a.test that are gone, one of b.test that asks who is there."""
    urls = [
        web.put("a.test", "/1", (404, HTML, b"")),
        web.put("a.test", "/2", (404, HTML, b"")),
        web.put("b.test", "/3", (200, HTML | {"cf-mitigated": "challenge"}, b"")),
        web.put("c.test", "/4", page("Alive")),
    ]
    enrich_urls(client, database, *urls)
    return urls


# -- dead letters ----------------------------------------------------------------------------------
def test_dead_letters_are_listed_by_domain_and_reason(
    database: Database, graves: list[str]
) -> None:
    assert curating.group_dead(database, ADA) == [
        DeadGroup("a.test", "not_found", 2),
        DeadGroup("b.test", "captcha", 1),
    ]
    found = curating.list_dead(database, Wanted(user_id="ada", domain="a.test"))
    assert {each.url for each in found} == set(graves[:2])
    assert {each.link_id for each in found} == {link_of(database, url) for url in graves[:2]}
    assert {(each.reason, each.status, each.attempts) for each in found} == {("not_found", 404, 1)}


def test_dead_letters_come_in_pages(database: Database, graves: list[str]) -> None:
    first = curating.list_dead(database, ADA, limit=2)
    rest = curating.list_dead(database, ADA, after=first[-1].canonical_id)
    assert len(first) == 2
    assert {each.url for each in first + rest} == set(graves[:3])


def test_another_users_dead_letters_are_not_there(
    client: lh.Client, database: Database, graves: list[str]
) -> None:
    assert curating.list_dead(database, BOB) == []
    assert curating.requeue(client, database, BOB) == Requeued()
    with pytest.raises(LinkNotFound):
        curating.requeue_link(client, database, "bob", link_of(database, graves[0]))
    with pytest.raises(LinkNotFound):
        curating.refresh(client, database, "bob", link_of(database, graves[0]))
    assert len(curating.list_dead(database, Wanted())) == 3


def test_one_dead_letter_is_tried_again(
    client: lh.Client, database: Database, web: OddWeb, graves: list[str]
) -> None:
    web.put("a.test", "/1", page("Found again"))
    before = known(database, graves[0])["job_id"]
    assert curating.requeue_link(client, database, "ada", link_of(database, graves[0]))
    work(client)
    row = known(database, graves[0])
    assert (row["title"], row["reason"], row["job_id"]) == ("Found again", None, before)
    assert (web.seen["a.test/1"], web.seen["a.test/2"]) == (2, 1)


def test_only_what_is_dead_is_tried_again(
    client: lh.Client, database: Database, web: OddWeb, graves: list[str]
) -> None:
    assert not curating.requeue_link(client, database, "ada", link_of(database, graves[3]))
    with pytest.raises(LinkNotFound):
        curating.requeue_link(client, database, "ada", uuid4())
    work(client)
    assert web.seen["c.test/4"] == 1


@pytest.mark.parametrize(
    ("wanted", "matched"),
    [
        (Wanted(user_id="ada", domain="a.test"), 2),
        (Wanted(user_id="ada", reasons=("captcha",)), 1),
        (Wanted(user_id="ada", domain="a.test", reasons=("captcha",)), 0),
        (Wanted(user_id="ada"), 3),
        (Wanted(), 3),
    ],
)
def test_many_are_tried_again_by_domain_and_reason(
    client: lh.Client, database: Database, graves: list[str], wanted: Wanted, matched: int
) -> None:
    told: list[Requeued] = []
    assert curating.requeue(client, database, wanted, progress=told.append) == Requeued(
        matched, matched
    )
    assert (told[-1] if told else Requeued()) == Requeued(matched, matched)
    assert curating.stats(database, "ada").by_status["queued"] == matched


def test_a_requeued_link_has_its_patience_again(
    client: lh.Client, database: Database, web: OddWeb, graves: list[str]
) -> None:
    with database.write() as connection:
        connection.exec_driver_sql("UPDATE links_canonical SET snoozes = 5")
    web.put("a.test", "/1", (429, HTML, b""))
    curating.requeue(client, database, Wanted(user_id="ada", domain="a.test"))
    work(client)
    row = known(database, graves[0])
    assert (row["snoozes"], client.get(row["job_id"]).state) == (1, lh.State.QUEUED)


# -- refreshing ------------------------------------------------------------------------------------
def test_a_refresh_is_a_new_job_that_takes_the_key_over(
    client: lh.Client, database: Database, web: OddWeb, graves: list[str]
) -> None:
    old = known(database, graves[3])["job_id"]
    web.put("c.test", "/4", page("Newer"))
    made = curating.refresh(client, database, "ada", link_of(database, graves[3]))
    assert made.is_new
    assert made.job_id != old
    again = curating.refresh(client, database, "ada", link_of(database, graves[3]))
    assert again == curating.Refreshed(job_id=made.job_id, is_new=False)
    work(client)
    assert known(database, graves[3])["title"] == "Newer"
    assert web.seen["c.test/4"] == 2
    shown = rows(
        database,
        "SELECT CAST(id AS text), status FROM enrichment_jobs WHERE status = 'succeeded'",
    )
    assert shown == [(str(made.job_id), "succeeded")]


def test_a_refresh_that_finds_nothing_keeps_what_was_known(
    client: lh.Client, database: Database, web: OddWeb, graves: list[str]
) -> None:
    web.put("c.test", "/4", (404, HTML, b""))
    curating.refresh(client, database, "ada", link_of(database, graves[3]))
    work(client)
    row = known(database, graves[3])
    assert (row["title"], row["reason"]) == ("Alive", "not_found")


# -- domains ---------------------------------------------------------------------------------------
def test_candidates_come_with_what_counts_against_them(
    database: Database, graves: list[str]
) -> None:
    (found,) = curating.list_domains(database, "candidate")
    assert (found.domain, found.state, found.evidence_count) == ("b.test", "candidate", 1)
    (seen,) = found.evidence
    assert (seen.reason, seen.status) == ("captcha", 200)
    assert seen.url is None, "the address of a private host is its owner's"


def test_a_block_that_is_lifted_offers_what_died_of_it(
    client: lh.Client, database: Database, web: OddWeb, graves: list[str]
) -> None:
    assert curating.block(database, "https://www.D.test/x", by="eve").domain == "d.test"
    url = web.put("d.test", "/5", page("D"))
    import_for(client, database, "ada", url)
    work(client)
    assert (known(database, url)["reason"], web.seen["d.test/5"]) == ("blocked", 0)
    lifted = curating.allow(database, "d.test", by="eve")
    assert (lifted.state, lifted.requeueable) == ("allowed", 1)
    assert curating.requeue_lifted(client, database, "d.test") == Requeued(1, 1)
    work(client)
    assert known(database, url)["title"] == "D"
    (found,) = curating.list_domains(database, "allowed")
    assert (found.domain, found.decided_by) == ("d.test", "eve")


def test_an_allowed_candidate_stays_allowed(
    client: lh.Client, database: Database, graves: list[str]
) -> None:
    curating.allow(database, "b.test", by="eve")
    curating.requeue_lifted(client, database, "b.test")
    work(client)
    assert curating.list_domains(database, "candidate") == []
    assert known(database, graves[2])["reason"] == "captcha"


@pytest.mark.parametrize("text", ["", "http://", "a b", "https://", "javascript:alert(1)"])
def test_what_names_no_domain_is_refused(database: Database, text: str) -> None:
    with pytest.raises(BadDomain):
        curating.block(database, text, by="eve")


# -- counts ----------------------------------------------------------------------------------------
def test_counts_are_a_users_own_or_everybodys(
    client: lh.Client, database: Database, web: OddWeb, graves: list[str]
) -> None:
    import_for(client, database, "bob", graves[3], web.put("e.test", "/", page("E")))
    own = curating.stats(database, "bob")
    assert own.by_status == {"queued": 2, "running": 0, "succeeded": 0, "failed": 0, "dead": 0}
    everybodys = curating.stats(database)
    assert (everybodys.success_count, everybodys.fail_count) == (1, 3)
    assert everybodys.top_failure_domains == [("a.test", 2), ("b.test", 1)]
    assert curating.stats(database, "bob").top_failure_domains == []


def test_a_refresh_that_was_lost_is_a_dead_letter_too(
    client: lh.Client, database: Database, web: OddWeb
) -> None:
    url = web.put("a.test", "/x", page("A"))
    enrich_urls(client, database, url)
    curating.refresh(client, database, "ada", link_of(database, url))

    @lh.task(name="links.enrich", queue="links", max_attempts=1, throttle=DOMAIN.by("turn"))
    def crash(canonical_id: UUID, turn: str, user_id: str) -> None:
        raise lh.Dead("it crashed")  # without a word of why to the library

    lh.Worker(client, [crash]).run(until_empty=True)
    assert curating.group_dead(database, ADA) == [DeadGroup("a.test", "lost", 1)]
