"""How the companion is: what waits in each memory, and what keeps it from being done."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

import leasehold as lh
from leasehold_memory.settings import memory_file
from leasehold_memory.settings.home import url_of

if TYPE_CHECKING:
    from leasehold_memory.opening import Memory
    from leasehold_memory.settings import Snapshot

_logger = logging.getLogger("leasehold_memory.companion")


class Backlog(msgspec.Struct, frozen=True, kw_only=True):
    """The jobs of one preset's memory that are to be done."""

    preset_id: str
    is_active: bool
    waiting: int  # also for their time, or to be tried again
    running: int
    failed: int  # within a day, for good
    oldest_seconds: float | None  # that the one which could begin for longest has waited


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """How it is: `ok`, or `degraded` by what the reasons name."""

    status: str
    reasons: list[str]
    memory_enabled: bool
    is_working: bool
    active_embedding_preset_id: str
    backlogs: list[Backlog]


def pause_reasons(memory: Memory) -> set[str]:
    """Return why jobs of a memory are not started: a pause says so, as in `llm_auth`."""
    now = datetime.now(UTC)
    return {
        throttle.pause_reason or "paused"
        for throttle in memory.client.throttles.list()
        if throttle.paused_until is not None and throttle.paused_until > now
    }


def read_backlogs(home: Path, snapshot: Snapshot, active: Memory) -> list[Backlog]:
    """Look into the file of each preset that has one; one that can't be read is left out."""
    found = [read_backlog(active.client, active.preset.id, is_active=True)]
    for preset in snapshot.embedding_presets:
        file = memory_file(home, preset.id)
        if preset.id != active.preset.id and file.is_file():
            found.extend(_look_into(file, preset.id))
    return found


def _look_into(file: Path, preset_id: str) -> list[Backlog]:
    with lh.Client(url_of(file)) as client:
        try:
            return [read_backlog(client, preset_id, is_active=False)]
        except lh.LeaseholdError as error:
            fields = {"preset": preset_id, "error": str(error)}
            _logger.warning("memory can't be read", extra=fields)
            return []


def read_backlog(client: lh.Client, preset_id: str, *, is_active: bool) -> Backlog:
    """Look at the jobs of one memory."""
    overview = client.stats.overview()
    depth = overview.depth
    return Backlog(
        preset_id=preset_id,
        is_active=is_active,
        waiting=depth.waiting + depth.scheduled + depth.failed,
        running=depth.running,
        failed=overview.failed_24h,
        oldest_seconds=depth.oldest_seconds,
    )
