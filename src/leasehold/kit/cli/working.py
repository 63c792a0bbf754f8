"""Whether somebody works, for commands that would else wait in vain."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leasehold.client import Client

_ALIVE = timedelta(seconds=30)  # workers show themselves every few seconds


def has_worker(client: Client, kind: str) -> bool:
    """Whether a worker is there that runs jobs of this kind."""
    latest = datetime.now(UTC) - _ALIVE
    return any(
        kind in worker.kinds and worker.seen_at is not None and worker.seen_at > latest
        for worker in client.workers()
    )
