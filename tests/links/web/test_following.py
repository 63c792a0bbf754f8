"""Progress as it happens, over real HTTP: shared, whole, and as lasting as it has to be."""

from __future__ import annotations

import json
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any
from uuid import UUID

import httpx
import pytest
from sqlalchemy import text

from leasehold.web import event_stream
from leasehold_links.bookmarks.lines import Counts
from leasehold_links.data import imports, progress
from leasehold_links.web import application
from tests.kit.serving import Serving, serving
from tests.links.jobs.kit import begin_import, run_imports
from tests.links.web.kit import ONE
from tests.worker.kit import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    import leasehold as lh
    from leasehold.kit.data import Database

DEADLINE_SECONDS = 30


class Stream:
    """One who follows."""

    def __init__(self, answer: httpx.Response) -> None:
        assert answer.headers["content-type"].startswith("text/event-stream")
        self._lines = answer.iter_lines()

    def events(self) -> Iterator[tuple[str, Any]]:
        name = ""
        for line in self._lines:
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                yield name, json.loads(line.removeprefix("data: "))
            elif line.startswith(":"):
                yield "comment", line

    def until(self, name: str, **wanted: Any) -> dict[str, Any]:
        """Wait for an event that says this."""
        for heard, data in self.events():
            if heard == name and wanted.items() <= data.items():
                return dict(data)
        raise AssertionError(f"it ended before {wanted}")


@contextmanager
def follow(served: Serving, path: str) -> Iterator[Stream]:
    with httpx.stream("GET", f"{served.address}/links{path}", timeout=DEADLINE_SECONDS) as answer:
        assert answer.status_code == 200, answer.read()
        yield Stream(answer)


@pytest.fixture
def served(client: lh.Client, database: Database) -> Iterator[Serving]:
    with serving(client, application()) as served:
        yield served


@pytest.fixture
def import_id(client: lh.Client, database: Database) -> UUID:
    return begin_import(client, database, ONE, "demo")


def add(database: Database, import_id: UUID, **counts: int) -> None:
    with database.write() as connection:
        imports.add_counts(database.bulk(connection), import_id, Counts(**counts))


def test_each_step_is_told_until_the_end(
    served: Serving, client: lh.Client, database: Database, import_id: UUID
) -> None:
    with follow(served, f"/api/imports/{import_id}/events") as stream:
        assert stream.until("progress")["status"] == "queued"
        for number in range(1, 4):
            add(database, import_id, duplicate=1)
            stream.until("progress", processed_items=number)
        run_imports(client)
        ended = stream.until("end")
        assert (ended["status"], ended["imported_items"]) == ("succeeded", 1)
        assert list(stream.events()) == []
    with follow(served, f"/api/imports/{import_id}/events") as late:
        assert [name for name, _ in late.events()] == ["progress", "end"]


def test_many_who_watch_cost_one_look(
    served: Serving, database: Database, import_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ExitStack() as stack:
        streams = [
            stack.enter_context(follow(served, f"/api/imports/{import_id}/events"))
            for _ in range(5)
        ]
        for stream in streams:
            stream.until("progress")
        (topic,) = served.state.library.following._streams._topics.values()
        assert (served.state.library.following.open, len(topic.listeners)) == (5, 5)
        add(database, import_id, skipped=7)
        for stream in streams:
            stream.until("progress", processed_items=7)
    wait_until(lambda: served.state.library.following.open == 0, "those who left are forgotten")
    assert served.state.library.following.watched == 0


def test_a_stream_outlives_a_database_that_is_away(
    served: Serving, database: Database, import_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = progress.import_of
    failed: list[int] = []

    def cut(connection: Any, *given: Any) -> Any:
        """Cut our connection under the look, as a restart of the server would."""
        if len(failed) < 3:
            failed.append(1)
            if connection.dialect.name == "sqlite":
                raise OSError("the disk is away for a moment")
            connection.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))
        return real(connection, *given)

    with follow(served, f"/api/imports/{import_id}/events") as stream:
        stream.until("progress")
        monkeypatch.setattr(progress, "import_of", cut)
        wait_until(lambda: len(failed) == 3, "looks have failed")
        add(database, import_id, imported=1)
        stream.until("progress", processed_items=1)


def test_a_quiet_stream_says_that_it_is_still_there(
    served: Serving, import_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "HEARTBEAT_SECONDS", 0.05)
    with follow(served, f"/api/imports/{import_id}/events") as stream:
        assert "comment" in (name for name, _ in stream.events())


def test_streams_end_with_the_service(served: Serving, import_id: UUID) -> None:
    with follow(served, f"/api/imports/{import_id}/events") as stream:
        stream.until("progress")
        served.tell_end()
        assert list(stream.events()) == []


def test_there_is_an_end_to_how_many_may_be_open(
    served: Serving, import_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served.state.library.following._streams, "_most", 1)
    with follow(served, f"/api/imports/{import_id}/events") as stream:
        stream.until("progress")
        path = f"{served.address}/links/api/imports/{import_id}/events"
        refused = httpx.get(path, timeout=DEADLINE_SECONDS)
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "10")


def test_the_states_of_links_are_told_until_all_have_ended(
    served: Serving, client: lh.Client, import_id: UUID
) -> None:
    run_imports(client)
    listed = httpx.get(f"{served.address}/links/api/links").json()["links"]
    link_id = listed[0]["id"]
    with follow(served, f"/api/links/events?id={link_id}") as stream:
        assert stream.until("states") == {link_id: ["queued", None]}
        client.cancel(UUID(listed[0]["enrichment"]["job_id"]))
        assert stream.until("end") == {link_id: ["dead", None]}
