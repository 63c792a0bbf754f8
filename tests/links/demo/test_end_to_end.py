"""The real service with the demo, in a process of its own: every link ends as it has to."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from leasehold.kit.data import Database
from leasehold_links.demo.file import FILE_NAME, PLACES
from tests.conformance.tables import open_tables
from tests.links.jobs.kit import known, rows
from tests.postgres_server import PostgresServer
from tests.web.serving import Served, served

WORDS = (
    *("--app", "leasehold_links.web:application"),
    *("--app", "leasehold_links.demo:application"),
    *("--migrate", "--log-level", "error"),
)
# What ending may take on a machine that does much else: the promise is 3 s on an idle one.
PATIENCE_SECONDS = 8.0
DEADLINE_SECONDS = 90.0
BUSY = ("queue", "other")
_LIVE = "SELECT count(*) FROM enrichment_jobs WHERE status IN ('running', 'failed')"


class Running:
    """A service with the demo, and a look into its database."""

    def __init__(self, url: str, service: Served) -> None:
        self.url = url
        self.service = service
        self.database = Database(url)

    def count(self, query: str) -> int:
        return int(rows(self.database, query)[0][0])

    def make_due(self) -> None:
        """Let the five minutes until the second attempt pass."""
        is_file = self.url.startswith("sqlite")
        table = "leasehold_scheduled" if is_file else "leasehold.scheduled"
        long_ago = "0" if is_file else "to_timestamp(0)"
        with open_tables(self.url) as tables:
            tables.execute(f"UPDATE {table} SET run_at = {long_ago} WHERE failures > 0")  # noqa: S608 - ours

    def is_imported(self) -> bool:
        return rows(self.database, "SELECT status FROM import_jobs") == [("succeeded",)]

    def has_ended(self) -> bool:
        """Whether all have ended but those that were asked to wait for an hour."""
        self.make_due()
        waiting = "SELECT count(*) FROM enrichment_jobs WHERE status = 'queued'"
        return self.is_imported() and self.count(_LIVE) == 0 and self.count(waiting) == 2


@pytest.fixture(scope="module")
def both(
    postgres_server: PostgresServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Running]]:
    """One on each database, side by side: a page that takes its time is waited for once."""
    urls = {
        "sqlite": f"sqlite:///{tmp_path_factory.mktemp('demo') / 'demo.db'}",
        "postgres": postgres_server.create_database(),
    }
    with contextlib.ExitStack() as stack:
        stack.callback(postgres_server.drop_database, urls["postgres"])
        running = {}
        for name, url in urls.items():
            running[name] = each = Running(url, stack.enter_context(served(url, *WORDS)))
            stack.callback(each.database.close)
        yield running


@pytest.fixture(params=["sqlite", "postgres"])
def running(request: pytest.FixtureRequest, both: dict[str, Running]) -> Running:
    return both[request.param]


def wait_for(condition: Callable[[], bool], what: str) -> None:
    """Look three times a second: each look is a few statements beside those of the service."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain until {what}"
        time.sleep(0.3)


def told(running: Running, url: str) -> tuple[Any, Any]:
    """Return the state of a link's enrichment, and why there is no more."""
    row = known(running.database, url)
    found = rows(
        running.database,
        "SELECT status FROM enrichment_jobs WHERE link_canonical_id = :id",
        id=str(row["id"]),
    )
    return found[0][0], row["reason"]


def test_the_file_is_imported_and_every_link_ends_as_it_has_to(running: Running) -> None:
    wait_for(running.has_ended, "every link has ended")
    found = {place.url: told(running, place.url) for place in PLACES}
    # Of a busy place one is asked; the other may have been under way with it, or waits unasked.
    assert ("queued", "busy") in {found.pop(f"http://busy.example/{path}") for path in BUSY}
    expected = {place.url: (place.ends, place.reason) for place in PLACES}
    assert found == {url: expected[url] for url in found}
    assert len(found) == len(PLACES) - len(BUSY)
    titles = {place.url: known(running.database, place.url)["title"] for place in PLACES}
    assert titles["http://old-village.example/"] == "우리 마을 이야기"
    assert titles["http://old-name.example/"] == "새 이름으로 인사드립니다"
    assert titles["http://files.example/download?id=7"] == "사진첩.zip"
    assert titles["http://drip.example/"] == "A letter a second"
    candidates = {domain for (domain,) in rows(running.database, "SELECT domain FROM links_domain")}
    asked = ("fortress", "hermit", "shelf", "gatekeeper", "doorman")
    assert candidates == {f"{name}.example" for name in asked}
    skipped = "SELECT count(*) FROM links_import_item WHERE outcome = 'skipped'"
    assert running.count(skipped) == 4


def test_its_pages_answer_and_link_to_each_other(running: Running) -> None:
    http = running.service.http
    assert [each["error"] for each in running.service.told["applications"]] == [None, None]
    assert '"/links' in http.get("/").text
    wait_for(running.is_imported, "the file is imported")
    library = http.get("/links", headers={"Accept-Language": "ko"})
    assert (library.status_code, "뉴스" in library.text) == (200, True)
    assert 'href="/"' in library.text  # back to the dashboard
    for path in ("imports", "dead", "domains"):
        assert http.get(f"/links/{path}").status_code == 200
    page = http.get("/links-demo", headers={"Accept-Language": "ko, en;q=0.5"})
    assert ('lang="ko"' in page.text, "/links/" in page.text) == (True, True)
    assert http.get(f"/links-demo/{FILE_NAME}").text.startswith("<!DOCTYPE NETSCAPE")


def test_it_ends_in_time_and_the_next_start_imports_nothing(running: Running) -> None:
    wait_for(running.is_imported, "the file is imported")
    code, seconds, log = running.service.end()
    assert (code, seconds < PATIENCE_SECONDS, "Traceback" in log) == (0, True, False)
    before = running.count("SELECT count(*) FROM links_link")
    with served(running.url, *WORDS) as again:
        assert again.http.get("/links-demo").status_code == 200
        assert running.count("SELECT count(*) FROM links_import") == 1
        assert running.count("SELECT count(*) FROM links_link") == before
        assert again.end()[0] == 0
