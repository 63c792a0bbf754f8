"""The audit record as people see it: `client.audit.list()`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.acting import entry_of
from leasehold.errors import BadOption
from leasehold.model.audit import AuditFilter
from leasehold.model.durations import Duration, seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from leasehold.model.audit import AuditRecord
    from leasehold.store.base import Store

DEFAULT_PAGE = 100


class Audit:
    """What people did: who, what, from where, how many."""

    def __init__(self, store: Callable[[], Store]) -> None:
        self._store = store

    def list(
        self,
        *,
        tenant: str | None = None,
        actor: str | None = None,
        action: str | None = None,
        since: datetime | None = None,
        before: int | None = None,
        limit: int = DEFAULT_PAGE,
    ) -> Sequence[AuditRecord]:
        """List what was done, the newest first. For more pass the last one's id as `before`."""
        if limit < 1:
            raise BadOption(f"limit: {limit!r} is not a positive number")
        if since is not None and since.tzinfo is None:
            raise BadOption("since: give a time with its zone")
        where = AuditFilter(tenant=tenant, actor=actor, action=action, since=since)
        return self._store().audit(where, before=before, limit=limit)

    def prune(self, older: Duration, *, by: str | None = None) -> int:
        """Take away what was done longer ago than this; returns how many rows went.

        That it was done stands in the record. Else rows are kept for ever.
        """
        span = seconds(older, name="older")
        entry = entry_of("audit.prune", by=by, older=f"{span:g} s")
        return self._store().prune_audit(entry, older_seconds=span)
