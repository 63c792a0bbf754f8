"""Pages as they are sent: texts in their table, nothing of strangers' in force, forms that work."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from leasehold_sync.data.tables import entity
from leasehold_sync.web.pages.job import scale_of
from leasehold_sync.web.pages.shell import PAGES
from tests.kit.wording import missing_texts, written_texts
from tests.sync.web.kit import APP, SyncAsker

if TYPE_CHECKING:
    from leasehold.kit.data import Database
    from leasehold_sync.servers import StripeServer

SCRIPT = "<script>window.hit = 1</script>"


def test_every_text_that_a_page_asks_for_is_there_and_stands_in_no_template() -> None:
    assert missing_texts(PAGES) == set()
    values = {"full", "incremental", "true"}  # of forms
    assert written_texts(PAGES, values) == []


@pytest.mark.usefixtures("app")
def test_apps_are_shown_with_their_last_sync(asker: SyncAsker) -> None:
    page = asker.page("/ui")
    assert (APP in page, "never" in page) == (True, True)
    started = asker.start()
    page = asker.page("/ui/")
    assert f"/sync/ui/jobs/{started['job_id']}" in page
    assert "waits" in page
    asker.work()
    page = asker.page("/ui/")
    assert "done" in page
    assert "a moment ago" in page


@pytest.mark.usefixtures("app")
def test_a_sync_is_started_cancelled_and_retried_by_forms(
    asker: SyncAsker, server: StripeServer
) -> None:
    form = {"mode": "full", "resource_types": ["customers"]}
    answer = asker.send(f"/ui/apps/{APP}/sync", form)
    assert answer.status_code == 303
    where = answer.headers["location"].removeprefix("/sync")
    assert "The sync has begun." in asker.page(where)
    job = where.partition("?")[0]
    again = asker.send(f"/ui/apps/{APP}/sync", form)
    assert again.headers["location"] == f"/sync{job}?said=running"
    assert asker.send(f"{job}/cancel", {}).headers["location"] == f"/sync{job}?said=cancelled"
    assert "cancelled" in asker.page(job)
    assert "The sync has ended" not in asker.page(job)

    server.fail(401, times=1)
    job = asker.send(f"/ui/apps/{APP}/sync", form).headers["location"].removeprefix("/sync")
    asker.work()
    page = asker.page(job)
    assert ("Retry what failed" in page, 'role="alert"' in page) == (True, True)
    job = job.partition("?")[0]
    assert "count=1" in asker.send(f"{job}/retry", {}).headers["location"]
    asker.work()
    assert asker.page(job).count("250") >= 2


@pytest.mark.usefixtures("app")
def test_what_is_refused_is_a_page_for_people(asker: SyncAsker) -> None:
    for path in ("/ui/apps/nobody", "/ui/jobs/01900000-0000-7000-8000-000000000000", "/ui/none"):
        answer = asker.ask("GET", path, headers={"accept": "text/html"})
        assert (answer.status_code, "<h1>It is not here</h1>" in answer.text) == (404, True)
    asker.refused(404, "GET", "/ui/none")
    form = {"resource_types": "cats"}
    answer = asker.send(f"/ui/apps/{APP}/sync", form)
    assert (answer.status_code, "does not have" in answer.text) == (400, True)


@pytest.mark.usefixtures("app")
def test_entities_are_shown_by_page_and_nothing_of_theirs_is_in_force(
    asker: SyncAsker, database: Database, server: StripeServer
) -> None:
    first = server.ids("customers")[0]
    server.update("customers", first, name=SCRIPT, description="turned \u202e round")
    server.insert("customers", id="cus_<b>")
    asker.start()
    asker.work()
    page = asker.page(f"/ui/apps/{APP}")
    assert ("251" in page, "customers" in page) == (True, True)
    seen: list[str] = []
    path = f"/ui/entities?app={APP}&collection=customers"
    while path:
        page = asker.page(path)
        assert "<b>" not in page
        seen += re.findall(r'href="/sync/ui/entity\?[^"]*id=([^"&]+)', page)
        following = re.search(r'href="/sync([^"]+)" rel="next"', page)
        path = following[1].replace("&amp;", "&") if following else ""
    assert (len(seen), len(set(seen))) == (251, 251)
    page = asker.page("/ui/entity", params={"app": APP, "collection": "customers", "id": first})
    assert SCRIPT not in page
    assert "&lt;script&gt;" in page
    with database.write() as connection:
        gone = entity.update().where(entity.c.external_id == first)
        connection.execute(gone.values(deleted_at=entity.c.created_at))
    found = {"app": APP, "id": first}
    assert "There is nothing here." in asker.page("/ui/entities", params=found)
    assert "deleted" in asker.page("/ui/entities", params=found | {"deleted": "true"})
    nothing = {"app": APP, "collection": "customers", "id": "none"}
    assert asker.ask("GET", "/ui/entity", params=nothing).status_code == 404


@pytest.mark.parametrize(
    ("count", "expected", "scale"),
    [
        *((0, None, 100), (99, None, 100), (100, None, 200), (450, None, 500)),
        *((7_000, None, 10_000), (7_000, 8_000, 8_000), (8_000, 8_000, 8_000)),
        *((8_001, 8_000, 10_000), (0, 8_000, 100)),
    ],
)
def test_a_bar_is_full_at_as_many_as_last_time_or_at_the_next_round_number(
    count: int, expected: int | None, scale: int
) -> None:
    assert scale_of(count, expected) == scale


@pytest.mark.usefixtures("app")
def test_a_bar_knows_how_many_there_were_last_time(asker: SyncAsker, server: StripeServer) -> None:
    asker.start()
    asker.work()
    server.fail(401, times=1, path="/v1/customers", skip=1)
    started = asker.start()
    asker.work()
    page = asker.page(f"/ui/jobs/{started['job_id']}")
    assert 'max="250" value="100"' in page
