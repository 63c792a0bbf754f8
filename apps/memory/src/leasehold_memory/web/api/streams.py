"""`/api/events` and `/api/logs`: what changes in a memory, and what is logged, as it happens."""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec
from fastapi import APIRouter, Response

from leasehold.kit.web import EventStream, Reader, Seen
from leasehold_memory.data import changes
from leasehold_memory.web.hub import Hub, OfHub

router = APIRouter(prefix="/api", tags=["streams"])


@router.get("/events", include_in_schema=False)  # it has no end
async def follow_changes(_person: Reader, hub: OfHub) -> Response:
    """Follow the active memory: an event `changed` with its newest numbers and its jobs."""
    return EventStream(hub.following.follow("events", partial(_look, hub)), "changed")


@router.get("/logs", include_in_schema=False)  # it has no end
async def follow_logs(_person: Reader, hub: OfHub) -> Response:
    """Follow the log: an event `logs` with the last records, after each new one."""
    return EventStream(hub.following.follow("logs", partial(_read, hub)), "logs")


def _look(hub: Hub) -> Seen:
    with hub.memory() as memory:
        with memory.database.read() as connection:
            newest = changes.newest(connection)
        jobs = {each.queue: msgspec.to_builtins(each) for each in memory.client.counts()}
        seen: dict[str, Any] = {"preset_id": memory.preset.id, **newest, "jobs": jobs}
    return Seen(msgspec.json.encode(seen))


def _read(hub: Hub) -> Seen:
    return Seen(msgspec.json.encode({"records": hub.logs.records()}))
