"""An engine whose service refuses our key: nobody asks it for a while, and operators are told."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import leasehold as lh
from leasehold_documents import notifying
from leasehold_documents.data import audit, pauses
from leasehold_documents.errors import EngineClosed
from leasehold_documents.settings import settings

if TYPE_CHECKING:
    from leasehold_documents.access import Service

PAUSE = timedelta(minutes=10)  # then one job after the other tries again
_logger = logging.getLogger("leasehold.documents")


def snooze_while_paused(service: Service, engine: str) -> None:
    """Come back when the engine's pause is over, if it has one; that costs no attempt."""
    if not settings().extraction_url:  # it is read here, where nobody refuses anybody
        return
    with service.read() as connection:
        until = pauses.until(connection, engine, datetime.now(UTC))
    if until is not None:
        raise lh.Snooze(until=until, reason=f"{engine} is paused")


@contextmanager
def pausing_the_closed(service: Service, engine: str) -> Iterator[None]:
    """Pause the engine when its service refuses us, tell operators, and come back with all."""
    try:
        yield
    except EngineClosed as error:
        until = _pause(service, engine, error.reason)
        raise lh.Snooze(until=until, reason=f"{engine} is paused: {error.reason}") from error


def _pause(service: Service, engine: str, reason: str) -> datetime:
    now = datetime.now(UTC)
    until = now + PAUSE
    said = settings()
    with service.write() as session:
        pauses.put(session.connection(), engine, until=until, reason=reason, now=now)
        if said.smtp_host and said.admin_email:
            service.on(session).enqueue(notifying.tell_admin, engine, reason)
    audit.record(service.database, "engine.paused", subject=engine, detail={"reason": reason})
    _logger.error("engine paused", extra={"engine": engine, "reason": reason})
    return until
