"""What changes in a memory, and what is logged, is told as it happens; no stream outlives all."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from leasehold_memory import tasks
from leasehold_memory.data import units
from leasehold_memory.opening import Memory
from tests.memory.web.kit import Standing
from tests.memory.web.serving import served

if TYPE_CHECKING:
    import httpx


@pytest.fixture
def http(companion: Standing) -> Iterator[httpx.Client]:
    with served(companion) as http:
        yield http


def events(answer: httpx.Response) -> Iterator[tuple[str, Any]]:
    name = ""
    for line in answer.iter_lines():
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def test_a_new_memory_and_a_new_job_are_told(http: httpx.Client, memory: Memory) -> None:
    with http.stream("GET", "/api/events") as answer:
        seen = events(answer)
        name, first = next(seen)
        assert (name, first["preset_id"], first["unit"]) == ("changed", "local", 0)
        with memory.database.write_session() as session:
            unit_id = units.save_episode(
                session.connection(),
                user_text="hello",
                reply_text="hi",
                occurred_at=datetime.now(UTC),
            )
            memory.client.on(session).enqueue(tasks.upsert_embeddings, unit_id)
        _, second = next(seen)
        assert second["unit"] == unit_id
        assert second["version"] > first["version"]
        assert second["jobs"] != first["jobs"]


def test_what_is_logged_is_told_with_its_fields_and_without_any_memory(
    http: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "leasehold_memory")
    with http.stream("GET", "/api/logs") as answer:
        seen = events(answer)
        next(seen)
        fields = {"preset": "local", "text": "x" * 1_000}
        logging.getLogger("leasehold_memory.test").info("worker started", extra=fields)
        name, told = next(seen)
        record = told["records"][-1]
        assert (name, record["event"], record["level"]) == ("logs", "worker started", "info")
        assert record["fields"]["preset"] == "local"
        assert len(record["fields"]["text"]) == 500


def test_open_streams_end_with_the_service(companion: Standing) -> None:
    with served(companion) as http, http.stream("GET", "/api/events") as answer:
        assert next(events(answer))[0] == "changed"
