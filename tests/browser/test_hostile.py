"""Whatever a job holds is shown as text: no script of it runs, and the page stays in shape."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import leasehold as lh
from leasehold.model.audit import Actor
from leasehold.worker import Worker
from tests.browser.kit import PHONE, serve, visiting
from tests.web.pages import PATHS
from tests.worker.kit import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from leasehold.client import Client

SCRIPT = "<script>window.hit = 1</script>"
BREAKS = "'\"></pre></textarea></title><img src=x onerror=window.hit=2><svg/onload=window.hit=3>"
NAME = f"{SCRIPT}{BREAKS}"  # fit for a name: printable
ADDRESS = "javascript:window.hit=4//"
BOOST = '<a hx-get="/jobs" hx-trigger="load" hx-on::load="window.hit=5">{{ 7 * 7 }}${7 * 7}</a>'
TURNED = "\u202egnihtyreve\u2066 \u061c\u200b\u200f\ufeff שלום مرحبا\u2069"
CONTROLS = "\x01\x07\x08\x1b[31m\x7f\x85\u2028\u2029 \\u0000 %00 ␀ \ufffd"
LONG = "W" * 3_000
TEXT = SCRIPT + BREAKS + ADDRESS + BOOST + TURNED + CONTROLS + LONG
HOSTILE: dict[str, Any] = {TEXT[:2_000]: [TEXT, {SCRIPT: TURNED, "": LONG}], "n": 1e308}


@lh.task(name=f"hostile {NAME}"[:200], queue=NAME[:100], max_attempts=1)
def fail(value: Any = None) -> None:
    job = lh.current_job()
    job.checkpoint(HOSTILE)
    job.progress(1, 3, note=TEXT)
    job.step(TEXT[:200].replace("\x01", ""), lambda: HOSTILE)
    raise ValueError(TEXT)


@lh.task(name=f"result {NAME}"[:200], queue=NAME[:100])
def succeed(value: Any = None) -> Any:
    return HOSTILE


@lh.task(name=f"stay {NAME}"[:200], queue=NAME[:100])
def stay(value: Any = None) -> None:
    job = lh.current_job()
    job.progress(1, 3, note=TEXT)
    while True:
        job.check()
        time.sleep(0.05)


def paths_of(client: Client) -> Iterator[str]:
    """Name every page that shows something of it, the whole values too."""
    yield from PATHS
    for state in lh.State:
        for job in client.find(state=state, limit=3):
            yield f"/jobs/{job.id}"
            yield f"/jobs/{job.id}/whole/arguments"
    yield from (f"/batches/{batch.id}" for batch in client.batches.list())
    yield "/jobs?q=%3Cscript%3Ewindow.hit%3D6%3C/script%3E"
    yield "/jobs?state=%3Cscript%3Ewindow.hit%3D7%3C/script%3E"
    for word in ("actor", "action", "tenant"):
        yield f"/audit?{word}=%22%3E%3Cscript%3Ewindow.hit%3D9%3C/script%3E"
    yield f"/audit?{urlencode({'tenant': NAME[:200]})}"
    yield "/jobs?queue=%22%3E%3Cscript%3Ewindow.hit%3D8%3C/script%3E&kind=javascript:hit"


def plant(client: Client) -> None:
    """Put it everywhere that lets itself be set."""
    throttle = lh.Throttle(NAME[:60].replace(":", ""), running=1)
    client.throttles.set(throttle.name, running=1, by=NAME[:60])
    client.throttles.pause(throttle.name, reason=TEXT[:300], by=NAME[:60])
    named: dict[str, Any] = {"tenant": NAME[:100], "created_by": NAME[:100], "key": NAME[:200]}
    client.enqueue(fail, HOSTILE)
    client.enqueue(succeed, HOSTILE)
    client.enqueue(stay, HOSTILE)
    held = succeed.with_options(throttle=throttle.key(NAME[:60]), share=NAME[:60], **named)
    client.enqueue(held, HOSTILE)
    client.enqueue(succeed.with_options(queue=f"paused {NAME}"[:100]), TEXT)
    client.queues.pause(f"paused {NAME}"[:100], reason=TEXT[:300], by=NAME[:60])
    client.schedules.set(NAME[:100], "0 3 * * *", succeed.call(HOSTILE), by=NAME[:60])
    flow = lh.Workflow(NAME[:100])
    first = flow.add(fail.call(HOSTILE), name=NAME[:100])
    flow.add(succeed.call(HOSTILE), name=f"then {NAME}"[:100], after=[first])
    client.start(flow, meta=HOSTILE, created_by=NAME[:60])
    cancelled = client.enqueue(succeed.with_options(delay="1h"), HOSTILE)
    client.cancel(cancelled.id, by=TEXT[:300])
    client.enqueue_by_name(f"unknown {NAME}"[:200], HOSTILE, queue=NAME[:100])
    plant_people(client)


def plant_people(client: Client) -> None:
    """Quotas of a tenant, and what a person of that name did: the pages of tenants and audit."""
    client.quotas.set(NAME[:200], waiting=100_000, running=7, rate="1000000/second", by=TEXT[:300])
    for tenant in (ADDRESS, BOOST[:200], "W" * 200):
        client.quotas.set(tenant, waiting=100, by=tenant)
    actor = Actor(name=TEXT[:1_000], via=NAME, address=f"{BOOST}{LONG}"[:1_000], is_certain=True)
    with client.acting_as(actor):
        client.quotas.set(f"of {NAME}"[:200], running=1)
        client.queues.pause(BOOST[:100], reason=TEXT)
        client.retry_many(queue=NAME[:100])


def test_nothing_of_it_runs_and_nothing_breaks_out(browser: Browser, client: Client) -> None:
    plant(client)
    with (
        Worker(client, [fail, succeed, stay], slots=4, name=NAME[:100], grace="2s"),
        serve(client) as served,
        visiting(browser, served) as visit,
    ):
        wait_until(lambda: len(client.find(state="dead")) == 2, "the failing ones have failed")
        wait_until(lambda: len(client.find(state="running")) == 1, "one runs")
        for path in paths_of(client):
            visit.open(path)
            assert not visit.is_wide(), path
            if "/whole/" not in path:
                assert visit.page.locator("main script, main img, main style").count() == 0, path
        visit.open("/jobs")
        visit.wait_live()
        visit.page.check("#tick-all")
        visit.page.get_by_role("button", name="Retry…").click()
        visit.page.wait_for_selector("dialog[open]")


def test_on_a_phone_it_stays_in_shape(browser: Browser, client: Client) -> None:
    plant(client)
    with serve(client) as served, visiting(browser, served, viewport=PHONE) as visit:
        for path in paths_of(client):
            visit.open(path)
            assert not visit.is_wide(), path


def test_what_hides_is_shown_and_what_turns_around_does_not(
    browser: Browser, client: Client
) -> None:
    job = client.enqueue_by_name("plain", {"text": "invoice\u202efdp.exe", "bell": "a\x07b"})
    with serve(client) as served, visiting(browser, served) as visit:
        visit.open("/jobs")
        shown = visit.page.locator(f"#row-{job.id} .args")
        assert "⟨202E⟩" in shown.inner_text()
        assert "\u202e" not in visit.page.content()
