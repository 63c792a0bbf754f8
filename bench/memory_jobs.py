"""Memory: how soon an episode is remembered, and how many jobs a second need no model."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import leasehold as lh
from bench.fleet import BenchFailed
from leasehold_memory import tasks
from leasehold_memory.companion.working import SLOTS
from leasehold_memory.data import units
from leasehold_memory.opening import Memory, open_memory
from leasehold_memory.servers import ServerProcess
from leasehold_memory.settings import open_settings

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from bench.database import Database, Figures, Size

_DEBOUNCE_SECONDS = 1.0
_LOOK_SECONDS = 0.05
_MOST_SECONDS = 120.0
_SAID = (
    "My sister Emma lives in Kyoto and works as a nurse. Tomorrow I will call her.",
    "妹の花子さんは京都に住んでいて、看護師をしています。明日、花子さんに電話します。",
    "I moved to Osaka. I love jazz, and I went to a concert with Ben.",
)


def remember_episodes(_database: Database, size: Size) -> Figures:
    """Say something and wait until all that follows is done, one after the other."""
    with _prepared() as memory, lh.Worker(memory.client, tasks, slots=SLOTS):
        _store(memory, 0)
        _wait_until_done(memory)  # the process that makes vectors has started
        took = [_remember(memory, number) for number in range(size.jobs)]
    return {"p50_s": median(took), "max_s": max(took)}


def embed_units(_database: Database, size: Size) -> Figures:
    """Embed so many episodes, each by a job of its own."""
    with _prepared() as memory:
        with memory.database.write() as connection:
            made = [_save(connection, number) for number in range(size.jobs)]
        memory.embedder.embed([_SAID[0]])  # its process has started
        memory.client.enqueue_many(tasks.upsert_embeddings.call(each) for each in made)
        with lh.Worker(memory.client, tasks, slots=SLOTS):
            began = time.perf_counter()
            _wait_until_done(memory)
            seconds = time.perf_counter() - began
    return {"jobs_per_second": size.jobs / seconds, "seconds": seconds}


def _remember(memory: Memory, number: int) -> float:
    """Return the seconds from the end of the debounce until nothing is left to do."""
    _store(memory, number)
    due = time.perf_counter() + _DEBOUNCE_SECONDS
    _wait_until_done(memory)
    return time.perf_counter() - due


def _store(memory: Memory, number: int) -> None:
    with memory.database.write_session() as session:
        unit_id = _save(session.connection(), number)
        tasks.after_episode(memory, session, unit_id, now=datetime.now(UTC))


def _save(connection: Connection, number: int) -> int:
    return units.save_episode(
        connection,
        user_text=f"{_SAID[number % len(_SAID)]} ({number})",
        reply_text="I see.",
        occurred_at=datetime.now(UTC),
    )


def _wait_until_done(memory: Memory) -> None:
    give_up = time.monotonic() + _MOST_SECONDS
    while left := _standing(memory):
        if time.monotonic() > give_up:
            raise BenchFailed(f"{left} jobs are not done")
        time.sleep(_LOOK_SECONDS)


def _standing(memory: Memory) -> int:
    depth = memory.client.stats.overview().depth
    return depth.waiting + depth.scheduled + depth.failed + depth.running


@contextmanager
def _prepared() -> Iterator[Memory]:
    """Open a new home whose model answers at once, in a process of its own."""
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        model = stack.enter_context(ServerProcess())
        settings = open_settings(home)
        stack.callback(settings.close)
        preset = {"id": "bench", "name": "bench", "model": "rules-1", "base_url": model.base_url}
        settings.change({"model_presets": [preset], "active_model_preset_id": "bench"})
        yield stack.enter_context(open_memory(home, settings.current().embedding, settings))
