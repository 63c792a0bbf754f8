"""The pages can be read and their forms sent without any script, on both stores."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from fastapi import FastAPI

import leasehold as lh
from leasehold import testing
from leasehold.web import WebSettings, create_app
from leasehold.web.site import ApplicationLink, Site, StoreLink
from tests.web.pages import PATHS, SCRIPT, Pages
from tests.web.tasks import REGISTRY, add, fail

if TYPE_CHECKING:
    from leasehold.client import Client
    from tests.web.kit import Service


@pytest.fixture
def pages(service: Service) -> Pages:
    return Pages(service)


@pytest.mark.parametrize("path", PATHS)
def test_each_page_of_an_empty_store_has_something_to_say(pages: Pages, path: str) -> None:
    text = pages.get(path).text
    assert "<h1" in text or path == "/system/findings"
    assert 'aria-label="Pages"' in text


def test_a_job_is_shown_with_its_arguments_and_why_it_waits(pages: Pages, client: Client) -> None:
    job = client.enqueue(add, 41, right=1)
    text = pages.get(f"/jobs/{job.id}").text
    assert "web.add" in text
    assert "&#34;left&#34;: 41" in text
    assert client.why(job.id).text.split(",")[0][:20] in text


def test_a_dead_job_is_shown_with_its_traceback_and_made_ready_by_its_form(
    pages: Pages, client: Client
) -> None:
    job = client.enqueue(fail, "out of paper")
    testing.drain(client, REGISTRY)
    text = pages.get(f"/jobs/{job.id}").text
    assert "ValueError: out of paper" in text
    assert "Traceback (most recent call last)" in text
    answer = pages.send(f"/jobs/{job.id}/retry", {"back": f"/jobs/{job.id}"})
    assert answer.headers["location"] == f"/jobs/{job.id}"
    assert client.get(job.id).state is lh.State.QUEUED
    cookies = {"cookie": answer.headers["set-cookie"].split(";")[0]}
    assert "The job is queued again." in pages.get(f"/jobs/{job.id}", headers=cookies).text


def test_what_can_not_be_undone_is_asked_first(pages: Pages, client: Client) -> None:
    job = client.enqueue(add, 1)
    question = pages.send(f"/jobs/{job.id}/cancel", status=200).text
    assert "Cancel this job?" in question
    assert client.get(job.id).state is lh.State.QUEUED
    pages.send(f"/jobs/{job.id}/cancel", {"confirm": "yes"})
    assert client.get(job.id).state is lh.State.CANCELLED


def test_many_are_counted_before_they_are_changed(pages: Pages, client: Client) -> None:
    client.enqueue_many(add.call(number) for number in range(7))
    client.enqueue(add.with_options(queue="other"), 1)
    form = {"verb": "cancel", "whom": "all", "queue": "sums"}
    assert "Cancel all 7 jobs with queue sums?" in pages.send("/jobs/bulk", form, status=200).text
    pages.send("/jobs/bulk", form | {"confirm": "yes"})
    assert len(client.find(state="cancelled")) == 7
    assert len(client.find(state="queued")) == 1


def test_ticked_jobs_are_changed_and_no_others(pages: Pages, client: Client) -> None:
    jobs = [client.enqueue(add, number).id for number in range(3)]
    form = {"verb": "delete", "whom": "ticked", "job": [str(each) for each in jobs[:2]]}
    assert "Delete 2 ticked jobs?" in pages.send("/jobs/bulk", form, status=200).text
    pages.send("/jobs/bulk", form | {"confirm": "yes"})
    assert [job.id for job in client.find()] == [jobs[2]]


def test_the_beginning_of_an_id_goes_to_its_job(pages: Pages, client: Client) -> None:
    job = client.enqueue(add, 1)
    for beginning in (str(job.id), str(job.id)[:30], str(job.id).upper()):
        answer = pages.get("/jobs", params={"q": beginning}, status=303)
        assert answer.headers["location"] == f"/jobs/{job.id}"
    batch = client.batches.create(name="b")
    answer = pages.get("/jobs", params={"q": str(batch.id)}, status=303)
    assert answer.headers["location"] == f"/batches/{batch.id}"


def test_any_other_text_is_looked_for_in_arguments_and_errors(
    pages: Pages, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leasehold.web.dashboard.searching.LONGEST_SECONDS", 60.0)
    later = add.with_options(delay="1h")
    client.enqueue_many(later.call(number) for number in range(300))
    failed = client.enqueue(fail, "no toner in Lübeck")
    testing.drain(client, REGISTRY)
    text = pages.get("/jobs", params={"q": "lübeck"}).text
    assert f'id="row-{failed.id}"' in text
    assert text.count('id="row-') == 1
    assert "Looked through 301 jobs" in text


def test_a_long_search_stops_and_says_where_to_go_on(
    pages: Pages, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leasehold.web.dashboard.searching.LONGEST_SECONDS", 0.0)
    client.enqueue_many(add.call(number) for number in range(600))
    first = pages.get("/jobs", params={"q": "left=0"}).text
    assert "Go on searching" in first
    assert 'id="row-' not in first


def test_pages_of_jobs_hang_together_without_a_gap(pages: Pages, client: Client) -> None:
    client.enqueue_many(add.call(number) for number in range(120))
    seen: list[str] = []
    path: str | None = "/jobs"
    while path:
        text = pages.get(path).text
        seen += re.findall(r'id="row-([0-9a-f-]+)"', text)
        found = re.search(r'href="([^"]+)" rel="next"', text)
        path = found.group(1).replace("&amp;", "&") if found else None
    assert seen == [str(job.id) for job in client.find(limit=200)]


def test_queues_are_paused_with_a_reason_and_resumed(pages: Pages, client: Client) -> None:
    client.enqueue(add, 1)
    pages.send("/queues/pause", {"name": "sums", "until": "15m", "reason": "stocktaking"})
    (info,) = client.queues.list()
    assert (info.pause_reason, info.paused_by) == ("stocktaking", "dashboard")
    assert "stocktaking" in pages.get("/queues").text
    pages.send("/queues/resume", {"name": "sums"})
    assert client.queues.list() == [] or client.queues.list()[0].paused_until is None


def test_a_queue_that_drains_shows_so_until_nothing_runs(pages: Pages, client: Client) -> None:
    client.enqueue(add, 1)
    assert "Drain queue sums?" in pages.send("/queues/drain", {"name": "sums"}, status=200).text
    pages.send("/queues/drain", {"name": "sums", "confirm": "yes"})
    assert "paused" in pages.get("/queues").text


def test_schedules_are_run_and_paused(pages: Pages, client: Client) -> None:
    client.schedules.set("nightly", "0 3 * * *", add.call(1))
    assert "nightly" in pages.get("/schedules").text
    pages.send("/schedules/run", {"name": "nightly"})
    (job,) = client.find()
    assert job.created_by == "schedule nightly"
    pages.send("/schedules/pause", {"name": "nightly"})
    assert client.schedules.get("nightly").paused_by == "dashboard"
    pages.send("/schedules/resume", {"name": "nightly"})
    assert client.schedules.get("nightly").paused_at is None


def test_retrying_a_group_of_failures_leaves_the_others_of_that_kind(
    pages: Pages, client: Client
) -> None:
    reasons = ["no route to 10.0.0.1", "no route to 10.0.0.2", "out of paper"]
    jobs = {reason: client.enqueue(fail, reason) for reason in reasons}
    testing.drain(client, [fail])
    route, paper = sorted(client.stats.failures(), key=lambda group: group.dead, reverse=True)
    form = {"kind": route.kind, "error": route.error, "message": route.message, "since": "24h"}
    assert "2 dead jobs" in pages.send("/failures/retry", form, status=200).text
    pages.send("/failures/retry", form | {"confirm": "yes"})
    states = {reason: client.get(job.id).state for reason, job in jobs.items()}
    assert [str(states[reason]) for reason in reasons] == ["queued", "queued", "dead"]
    assert client.stats.dead_of(paper.kind, paper.error, paper.message) == [jobs[reasons[2]].id]
    pages.send("/failures/retry", form | {"confirm": "yes"})  # nothing is left of that group
    assert client.get(jobs[reasons[2]].id).state == "dead"


def test_a_job_says_who_waits_for_it(pages: Pages, client: Client) -> None:
    first = client.enqueue(add, 1)
    second = client.enqueue(add.with_options(after=[first]), 2)
    text = pages.get(f"/jobs/{first.id}").text
    assert "Waited for by" in text
    assert f"/jobs/{second.id}" in text
    assert "Waited for by" not in pages.get(f"/jobs/{second.id}").text


def test_quotas_of_tenants_and_limits_of_queues_are_set_on_their_pages(
    pages: Pages, client: Client
) -> None:
    pages.send("/tenants/set", {"tenant": "acme", "waiting": "10", "rate": "100/minute"})
    (quota,) = client.quotas.list()
    assert (quota.tenant, quota.waiting_limit, quota.burst) == ("acme", 10, 100.0)
    assert "acme" in pages.get("/tenants").text
    pages.send("/tenants/remove", {"tenant": "acme"})
    assert client.quotas.list() == []
    pages.send("/queues/limit", {"name": "mail", "running": "3"})
    (queue,) = client.queues.list()
    assert queue.running_limit == 3
    assert "3 at once" in pages.get("/queues").text
    pages.send("/queues/limit", {"name": "mail", "running": ""})
    assert client.queues.list() == []


def test_a_tenants_page_of_throttles_shows_and_changes_its_own(
    pages: Pages, client: Client
) -> None:
    client.throttles.set("@site", running=5)
    client.throttles.pause("@site", tenant="globex", reason="theirs")
    client.throttles.set("shared-one", running=5)
    acme = client.tokens.add("acme", scope="operate", tenant="acme").secret
    said: Any = {"headers": {"authorization": f"Bearer {acme}", "accept": "text/html"}}
    page = pages.get("/throttles", **said).text
    assert "@site" in page
    assert not any(word in page for word in ("globex", "theirs", "shared-one", "Refill"))
    form = {"name": "@site", "tenant": "acme", "is_own": "yes"}
    pages.send("/throttles/set", form | {"running": "2"}, **said)
    pages.send("/throttles/pause", form | {"reason": "ours"}, **said)
    assert "2 at once by yourself" in pages.get("/throttles", **said).text
    pages.send("/throttles/resume", form, **said)
    pages.send("/throttles/reset", form, **said)
    assert client.throttles.list(tenant="acme")[0].tenant_limit is None
    client.throttles.pause("@site", tenant="acme")
    said["headers"] |= SCRIPT
    for path, asked, why in (
        ("/throttles/pause", form | {"tenant": "globex"}, "acts for tenant"),
        ("/throttles/pause", {"name": "shared-one"}, "not for a client of one tenant"),
        ("/throttles/resume", form, "the operators have paused it"),
    ):
        assert why in pages.send(path, asked, status=200, **said).text
    assert client.throttles.list(tenant="globex")[0].pause_reason == "theirs"


def test_operators_see_whose_a_throttle_is(pages: Pages, client: Client) -> None:
    client.throttles.set("@site:a.com", running=3, tenant="acme")
    client.throttles.set("@site:a.com", running=1, tenant="")
    page = pages.get("/throttles").text
    assert re.search("tenant <bdi[^>]*>acme</bdi>", page)
    assert "no tenant" in page
    form = {"name": "@site:a.com", "tenant": "acme", "is_own": "yes", "running": "4"}
    pages.send("/throttles/set", form)
    assert [each.running_limit for each in client.throttles.list(tenant="acme")] == [4]


def test_throttles_get_other_limits_and_pauses(pages: Pages, client: Client) -> None:
    client.throttles.set("domain", running=2)
    pages.send("/throttles/set", {"name": "domain", "running": "5", "rate": "2.5", "burst": "10"})
    (info,) = client.throttles.list()
    assert (info.running_limit, info.rate, info.burst) == (5, 2.5, 10.0)
    pages.send("/throttles/pause", {"name": "domain", "reason": "429"})
    assert "429" in pages.get("/throttles").text
    pages.send("/throttles/resume", {"name": "domain"})
    pages.send("/throttles/reset", {"name": "domain"})


def test_a_batch_shows_its_members_and_its_workflow(pages: Pages, client: Client) -> None:
    flow = lh.Workflow("tea")
    boil = flow.add(add.call(1), name="boil")
    flow.add(add.call(2), name="pour", after=[boil])
    started = client.start(flow)
    text = pages.get(f"/batches/{started.batch}").text
    assert "0 of 2 members ended" in text
    assert text.count("<rect") >= 3
    assert 'marker-end="url(#arrow)"' in text
    pages.send(f"/batches/{started.batch}/cancel", {"confirm": "yes"})
    assert client.batches.get(str(started.batch)).status == "cancelled"
    pages.send(f"/batches/{started.batch}/retry", {"confirm": "yes"})
    assert client.batches.get(str(started.batch)).round == 2


def test_the_whole_of_a_long_value_is_a_link_away(pages: Pages, client: Client) -> None:
    job = client.enqueue_by_name("web.unknown", {"text": "x" * 50_000})
    text = pages.get(f"/jobs/{job.id}").text
    assert len(text) < 40_000
    assert f"/jobs/{job.id}/whole/arguments" in text
    whole = pages.get(f"/jobs/{job.id}/whole/arguments")
    assert whole.headers["content-type"] == "text/plain; charset=utf-8"
    assert "x" * 50_000 in whole.text


def test_what_is_not_there_is_a_page_that_says_so(pages: Pages) -> None:
    missing = "018bcfe5-687b-7fff-bfff-ffffffffffff"
    assert "Not found" in pages.get(f"/jobs/{missing}", status=404).text
    assert "Not found" in pages.get(f"/batches/{missing}", status=404).text
    assert "is not a UUID" in pages.get("/jobs/nonsense", status=400).text
    assert "is not one of" in pages.get("/jobs?state=sleeping", status=400).text
    html = {"accept": "text/html"}
    assert "<h1" in pages.get("/nothing/here", status=404, headers=html).text


def test_an_error_of_an_action_is_said_where_it_was_asked(pages: Pages, client: Client) -> None:
    job = client.enqueue(add, 1)
    testing.drain(client, REGISTRY)
    said = pages.send(f"/jobs/{job.id}/retry", status=200, headers=SCRIPT)
    assert said.headers["HX-Retarget"] == "#said"
    assert "toast problem" in said.text


def test_the_script_gets_the_living_part_only_and_nothing_when_it_has_it(
    pages: Pages, client: Client
) -> None:
    client.enqueue(add, 1)
    part = pages.get("/jobs", headers=SCRIPT)
    assert "<html" not in part.text
    again = {**SCRIPT, "If-None-Match": part.headers["etag"]}
    assert pages.get("/jobs", headers=again, status=204).content == b""
    client.enqueue(add, 2)
    assert pages.get("/jobs", headers=again).content


def test_mounted_below_a_path_all_links_follow(client: Client) -> None:
    job = client.enqueue(add, 1)
    outer = FastAPI()
    outer.mount("/queue", create_app(client))

    async def ask(path: str) -> httpx.Response:
        transport = httpx.ASGITransport(outer)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
            return await http.get(path)

    for path in ("/queue/", "/queue/jobs", f"/queue/jobs/{job.id}", "/queue/system"):
        answer = asyncio.run(ask(path))
        assert answer.status_code == 200
        links = re.findall(r'(?:href|src|action|hx-get|hx-post|data-stream)="([^"]+)"', answer.text)
        assert len(links) > 10
        assert all(link.startswith(("/queue/", "#")) for link in links), links
    assert asyncio.run(ask("/queue/static/leasehold.css")).status_code == 200


def test_applications_and_other_stores_are_a_link_away(client: Client) -> None:
    site = Site(
        client=client,
        settings=WebSettings(),
        path="/stores/guestbook",
        stores=(
            StoreLink(name="", title="main", path=""),
            StoreLink(name="guestbook", title="Guest book", path="/stores/guestbook"),
        ),
        applications=(
            ApplicationLink(name="guestbook", title="Guest <book>", path="/guestbook"),
            ApplicationLink(name="broken", title="Broken", path="/broken", error="no such module"),
        ),
    )
    outer = FastAPI()
    outer.mount("/queue/stores/guestbook", create_app(client, site=site))

    async def ask() -> str:
        transport = httpx.ASGITransport(outer)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
            return (await http.get("/queue/stores/guestbook/")).text

    text = asyncio.run(ask())
    assert 'href="/queue/guestbook"' in text
    assert "Guest &lt;book&gt;" in text
    assert "no such module" in text
    assert '<a href="/queue/">' in text
    assert '<a href="/queue/stores/guestbook/" aria-current="true">' in text
