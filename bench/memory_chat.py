"""Memory: how soon the first words of a reply come, idle and beside jobs that wait and run."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bench.fleet import BenchFailed
from leasehold_memory import tasks
from leasehold_memory.data import units
from leasehold_memory.opening import Memory, open_memory
from leasehold_memory.settings import open_settings

if TYPE_CHECKING:
    from bench.database import Database, Figures, Size

_BURST = 20  # chats that end before the jobs of the first one begin
_OF_AN_EPISODE = 5  # jobs, but for what all episodes share
_LOOK_SECONDS = 0.05
_MOST_SECONDS = 300.0
_TEXTS = (
    "My sister Emma lives in Kyoto and works as a nurse.",
    "妹の花子さんは京都に住んでいて、看護師をしています。",
    "Tomorrow I will call Ben about the boat.",
    "昨日は猫のタマと公園を散歩しました。とても楽しかった。",
)


def chat_beside_jobs(_database: Database, size: Size) -> Figures:
    """Chat so often while nothing waits, and so often while so many jobs wait and run.

    By turns: what else the machine does meanwhile strikes both alike.
    """
    idle: list[float] = []
    busy: list[float] = []
    least = size.beside
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        base_url = stack.enter_context(_running("bench.memory_model")).strip()
        memory = stack.enter_context(_prepared(home, base_url))
        told = json.loads(stack.enter_context(_running("bench.memory_chat_server", str(home))))
        caller = _Caller(told["address"], told["token"])
        _fill(memory, size.beside)  # as much is remembered then as later
        _burst(memory, caller)
        for _ in range(0, size.jobs, _BURST):
            idle += _burst(memory, caller)
            _fill(memory, size.beside)
            took, fewest = _chat_while_busy(memory, caller, size.beside)
            busy += took
            least = min(least, fewest)
            _wait_until_idle(memory)
    return {
        **{f"idle_{name}": value for name, value in _figures(idle).items()},
        **{f"busy_{name}": value for name, value in _figures(busy).items()},
        "more_p95_ms": _figures(busy)["p95_ms"] - _figures(idle)["p95_ms"],
        "least_jobs_beside": least,
    }


def _burst(memory: Memory, caller: _Caller) -> list[float]:
    took = [caller.chat(number) for number in range(_BURST)]
    _wait_until_idle(memory)
    return took


def _chat_while_busy(memory: Memory, caller: _Caller, beside: int) -> tuple[list[float], int]:
    """Chat, and fill up again what was done meanwhile: so many jobs stand all the time."""
    took, least = [], beside
    for number in range(_BURST):
        took.append(caller.chat(number))
        standing = _standing(memory)
        least = min(least, standing)
        if standing < beside:
            _fill(memory, beside - standing + beside // 10)
    return took, least


def _figures(took: list[float]) -> Figures:
    last = quantiles(took, n=20, method="inclusive")[-1]
    return {"p50_ms": median(took), "p95_ms": last, "max_ms": max(took)}


class _Caller:
    """Chats over a connection of its own each time, as a browser's first message does."""

    def __init__(self, address: str, token: str) -> None:
        parts = urlsplit(address)
        self._address = (parts.hostname or "", parts.port or 0)
        self._head = (
            f"POST /api/chat HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\n"
            f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
        )

    def chat(self, number: int) -> float:
        """Say something and hear it out; returns the milliseconds until the first word."""
        body = json.dumps({"text": f"{_TEXTS[number % len(_TEXTS)]} ({number})"}).encode()
        with socket.create_connection(self._address) as opened:
            begun = time.perf_counter()
            opened.sendall(f"{self._head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            heard = b""
            while b"event: token" not in heard:
                heard += _received(opened, heard)
            first = time.perf_counter()
            while b"event: done" not in heard:
                heard += _received(opened, heard)
        return 1000 * (first - begun)


def _received(opened: socket.socket, heard: bytes) -> bytes:
    data = opened.recv(65_536)
    if not data or b"event: error" in heard:
        raise BenchFailed(f"a chat broke off: {heard[-200:]!r}")
    return data


@contextmanager
def _prepared(home: Path, base_url: str) -> Iterator[Memory]:
    """Let the companion of a home ask this model; yields its memory, to look into."""
    settings = open_settings(home)
    preset = {"id": "bench", "name": "bench", "model": "rules-1", "base_url": base_url}
    settings.change({"model_presets": [preset], "active_model_preset_id": "bench"})
    try:
        with open_memory(home, settings.current().embedding, settings) as memory:
            yield memory
    finally:
        settings.close()


@contextmanager
def _running(*command: str) -> Iterator[str]:
    """Run a module until the end of the `with`; yields the line that it says first."""
    process = subprocess.Popen([sys.executable, "-m", *command], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline()
    finally:
        process.terminate()
        process.wait(30)


def _fill(memory: Memory, jobs: int) -> None:
    """Write episodes whose jobs may begin at once."""
    now = datetime.now(UTC)
    wanted = (
        tasks.reflect_episode,
        tasks.extract_entities,
        tasks.extract_facts,
        tasks.extract_loops,
        tasks.upsert_embeddings,
    )
    for number in range(max(1, jobs // _OF_AN_EPISODE)):
        with memory.database.write_session() as session:
            unit_id = units.save_episode(
                session.connection(),
                user_text=_TEXTS[number % len(_TEXTS)],
                reply_text="I see.",
                occurred_at=now,
            )
            memory.client.on(session).enqueue_all([task.call(unit_id) for task in wanted])


def _standing(memory: Memory) -> int:
    depth = memory.client.stats.overview().depth
    return depth.waiting + depth.scheduled + depth.failed + depth.running


def _wait_until_idle(memory: Memory) -> None:
    give_up = time.monotonic() + _MOST_SECONDS
    while _standing(memory):
        if time.monotonic() > give_up:
            raise BenchFailed(f"{_standing(memory)} jobs are not done")
        time.sleep(_LOOK_SECONDS)
