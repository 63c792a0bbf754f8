"""The dashboard's three figures, of one tenant or of all."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

import msgspec

from leasehold_documents.access import Access, Service
from leasehold_documents.data import job_figures
from leasehold_documents.errors import Rejected

if TYPE_CHECKING:
    from uuid import UUID

WINDOWS: Final = ("24h", "all")
BYS: Final = ("finished", "created")
_DAY = timedelta(hours=24)


class Widgets(msgspec.Struct, frozen=True, kw_only=True):
    """How many wait, how many died within 24 hours, and how long one takes; None: none ended."""

    queued: int
    failed: int
    average_seconds: float | None
    window: str
    by: str


def widgets(who: Access | Service, *, window: str = "24h", by: str = "finished") -> Widgets:
    """Count what this person sees, or what there is in all.

    Of the last 24 hours, by when jobs ended. `by="created"` goes by when they were made, and
    `window="all"` takes the average over all that there are: both together are the seed's words.
    """
    _check("window", window, WINDOWS)
    _check("by", by, BYS)
    since = datetime.now(UTC) - _DAY
    tenant_id: UUID | None = who.tenant_id if isinstance(who, Access) else None
    with who.browse() as connection:
        return Widgets(
            queued=job_figures.count_queued(connection, tenant_id),
            failed=job_figures.count_dead(connection, tenant_id, since, by=by),
            average_seconds=job_figures.average_seconds(
                connection, tenant_id, None if window == "all" else since, by=by
            ),
            window=window,
            by=by,
        )


def _check(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise Rejected("BAD_PARAMETER", f"{name} is one of {', '.join(known)}")
