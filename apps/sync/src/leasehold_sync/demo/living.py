"""The demo while it lives: its APIs, its apps, their first syncs, and rows that come and go."""

from __future__ import annotations

import math
import os
import random
import threading
from typing import TYPE_CHECKING

from leasehold.kit.data import database_of
from leasehold_sync import apps, syncing
from leasehold_sync.demo.sources import SOURCES, Source

if TYPE_CHECKING:
    import leasehold as lh
    from leasehold_sync.servers import LocalServer

_LIFE_SECONDS = 5.0
_LIVELY = {"shop": "customers", "notes": "pages"}  # where rows come and go


class Demo:
    """Local APIs from `open` to `close`; the apps that read them stay in the table."""

    def __init__(
        self, client: lh.Client, *, life_seconds: float = _LIFE_SECONDS, size: float = 1.0
    ) -> None:
        """Tests may want less of it: `size` is the share of rows that are there."""
        self._client = client
        self._size = size
        self._life_seconds = life_seconds
        self._ending = threading.Event()
        self._life = threading.Thread(target=self._live, name="sync-demo")
        self._random = random.Random(1)
        self.servers: dict[str, LocalServer] = {}

    def open(self) -> None:
        """Take the ports, and let the apps' credentials be found, before a worker needs them."""
        for source in SOURCES:
            rows = {name: math.ceil(count * self._size) for name, count in source.rows.items()}
            server = source.server(rows=rows)
            source.prepare(server)
            self.servers[source.key] = server
            os.environ[source.variable] = server.key

    def start(self) -> None:
        """Answer, save the apps, and begin their syncs."""
        for server in self.servers.values():
            server.start()
        self.sync_first()
        self._life.start()

    def sync_first(self) -> None:
        """Save each app at its new address; begin what was never synced, or is again and again."""
        database = database_of(self._client.url)
        known = {app.app_key for app in apps.find(database)}
        for source in SOURCES:
            server = self.servers[source.key]
            apps.save(self._client, database, source.app(server.url))
            if source.key not in known:
                source.prepare_first(server)
                self._sync(source)
            elif source.is_synced_again:
                self._sync(source)

    def change(self) -> None:
        """Let something happen in the sources: a row comes, changes, or goes."""
        for key, collection in _LIVELY.items():
            server = self.servers[key]
            (fresh,) = server.insert(collection)
            ids = server.ids(collection)
            server.update(collection, fresh)
            server.delete(collection, self._random.choice(ids))

    def close(self) -> None:
        """Safe twice."""
        self._ending.set()
        if self._life.is_alive():
            self._life.join()
        for server in self.servers.values():
            server.stop()
        for source in SOURCES:
            os.environ.pop(source.variable, None)

    def _live(self) -> None:
        while not self._ending.wait(self._life_seconds):
            self.change()
            for source in SOURCES:
                if source.is_synced_again and not self._ending.is_set():
                    self._sync(source)

    def _sync(self, source: Source) -> None:
        """Begin a full sync, unless one is under way."""
        database = database_of(self._client.url)
        syncing.start(self._client, database, source.key, mode="full", created_by="demo")
