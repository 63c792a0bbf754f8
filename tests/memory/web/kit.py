"""The application as programs and people reach it: on a home of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
from anyio.from_thread import start_blocking_portal

from leasehold_memory.companion.health import Health
from leasehold_memory.embedding import Embedder
from leasehold_memory.opening import Memory, open_memory
from leasehold_memory.settings import Snapshot, open_settings
from leasehold_memory.web.alone import Alone
from leasehold_memory.web.app import make_app
from tests.kit.asking import expect

HOST = "http://127.0.0.1"


class Standing:
    """A companion without a worker: what waits stays, to be looked at."""

    def __init__(self, home: Path, embedder: Embedder | None = None) -> None:
        self.settings = open_settings(home)
        snapshot = self.settings.current()
        self.memory = open_memory(home, snapshot.embedding, self.settings)
        if embedder is not None:
            self.memory.embedder = embedder

    def start(self) -> None: ...

    def close(self) -> None:
        self.memory.close()
        self.settings.close()

    @contextmanager
    def current(self, preset_id: str | None = None) -> Iterator[Memory]:
        if preset_id in {None, self.memory.preset.id}:
            yield self.memory
            return
        preset = self.settings.current().embedding_named(preset_id or "")
        with open_memory(self.settings.home, preset, self.settings) as memory:
            yield memory

    def change(self, fields: Any) -> Snapshot:
        return self.settings.change(fields)

    def health(self) -> Health:
        return Health(
            status="ok",
            reasons=[],
            memory_enabled=self.settings.current().memory_enabled,
            is_working=False,
            active_embedding_preset_id=self.memory.preset.id,
            backlogs=[],
        )


class Asker:
    """Asks as the owner, unless told otherwise."""

    def __init__(self, request: Any, token: str) -> None:
        self._request = request
        self.shown = {"authorization": f"Bearer {token}"}

    def ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        headers = options.pop("headers", self.shown)
        answer: httpx.Response = self._request(method, path, headers=headers, **options)
        return answer

    def get(self, path: str, **query: Any) -> Any:
        return expect(200, self.ask("GET", path, params=query))

    def send(self, method: str, path: str, document: Any = None, *, status: int = 200) -> Any:
        return expect(status, self.ask(method, path, json=document))


@contextmanager
def asking(companion: Any) -> Iterator[Asker]:
    """Serve the companion alone, without a socket."""
    token = companion.settings.token.reveal()
    app = Alone(make_app(companion), token=lambda: token)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    with start_blocking_portal() as portal:
        http = httpx.AsyncClient(transport=transport, base_url=HOST)
        yield Asker(lambda *a, **o: portal.call(partial(http.request, *a, **o)), token)
        portal.call(http.aclose)
