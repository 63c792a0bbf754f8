"""Opens the memory of one embedding preset, which is one file, and finds it again in its jobs."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self

from sqlalchemy import select
from sqlalchemy.exc import DatabaseError

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_memory.data.matrix import VectorMatrix
from leasehold_memory.data.migrating import MIGRATIONS
from leasehold_memory.data.tables import unit_vector
from leasehold_memory.errors import BadMemory, MemoryClosed
from leasehold_memory.opening.courtesy import Courtesy
from leasehold_memory.opening.models import Models
from leasehold_memory.settings.home import make_private, memory_file, url_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold_memory.model.presets import EmbeddingPreset
    from leasehold_memory.settings import Settings


class Memory:
    """The open memory of a preset. Safe to share between threads.

    Its jobs are in the same file, so an episode and what follows it are written in one transaction.
    """

    def __init__(
        self,
        file: Path,
        preset: EmbeddingPreset,
        settings: Settings,
        client: lh.Client,
        models: Models | None,
    ) -> None:
        self.file = file
        self.preset = preset
        self.settings = settings
        self.client = client
        self.models = models or Models(settings)
        self.embedder = self.models.embedder(preset)
        self.vectors = VectorMatrix(preset.dimension)
        self.courtesy = Courtesy()
        self._owns_models = models is None
        self.database = Database(url_of(file))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back what it holds. Safe twice."""
        _registry.remove(self)
        if self._owns_models:
            self.models.close()
        self.client.close()
        self.database.close()


class _Registry:
    """Which memories are open in this process, by the address of their file.

    A job knows the queue that it came from, and nothing else of where it runs.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: list[tuple[str, Memory]] = []

    def add(self, memory: Memory) -> None:
        with self._lock:
            self._open.append((memory.client.url, memory))

    def remove(self, memory: Memory) -> None:
        with self._lock:
            self._open = [(url, each) for url, each in self._open if each is not memory]

    def find(self, url: str) -> Memory:
        """Return the one that was opened last, if the same file is open more than once."""
        with self._lock:
            for known, memory in reversed(self._open):
                if known == url:
                    return memory
        raise MemoryClosed


_registry = _Registry()


def open_memory(
    home: Path, preset: EmbeddingPreset, settings: Settings, *, models: Models | None = None
) -> Memory:
    """Open a preset's file, made or brought up to date and checked; `BadMemory` if it is no good.

    Whoever opens it closes it; `models` that are given stay open for others.
    """
    file = memory_file(home, preset.id)
    client = lh.Client(url_of(file))
    try:
        with _told(file):
            make_private(file)
            client.store.migrate()
            MIGRATIONS.migrate(client)
            memory = Memory(file, preset, settings, client, models)
            _check_vectors(memory)
    except BaseException:
        client.close()
        raise
    _registry.add(memory)
    return memory


def memory_of(client: lh.Client) -> Memory:
    """Return the open memory of this client's queue, as in `memory_of(lh.current_job().client)`."""
    return _registry.find(client.url)


def _check_vectors(memory: Memory) -> None:
    """Refuse a file whose vectors are of another length, as one that was copied here may be."""
    query = select(unit_vector.c.dimension).where(
        unit_vector.c.dimension != memory.preset.dimension
    )
    with memory.database.read() as connection:
        other = connection.scalar(query.limit(1))
    if other is not None:
        memory.close()
        raise BadMemory(memory.file.name, f"its vectors have {other} numbers")


@contextmanager
def _told(file: Path) -> Iterator[None]:
    try:
        yield
    except (lh.StoreBusy, lh.StoreFull):
        raise
    except OSError as error:
        raise BadMemory(file.name, error.strerror or type(error).__name__) from error
    except (DatabaseError, lh.StoreError) as error:
        cause = getattr(error, "orig", None) or error
        raise BadMemory(file.name, str(cause)) from error
