"""Who works: so many processes, each with so many workers, of which kinds and queues."""

from __future__ import annotations

import msgspec

SLOTS = 100


class Crew(msgspec.Struct, frozen=True, kw_only=True):
    """Worker processes that are all alike. Without queues they serve those of their tasks."""

    kinds: tuple[str, ...]
    processes: int = 1
    workers: int = 1  # in each process
    slots: int = SLOTS
    queues: tuple[str, ...] = ()
    first_keep_seconds: float | None = None  # when they begin to take away old jobs
