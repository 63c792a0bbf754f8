"""What a store can do for the audit record: rows that are only ever added."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from leasehold.model.audit import AuditFilter, AuditRecord, Entry


class AuditStore(Protocol):
    """No row is ever changed; one goes only when a row says that it was pruned."""

    def together(self) -> AbstractContextManager[None]:
        """Let what this thread does inside be one transaction: all of it happens, or nothing.

        For people's operations, not for workers'. Wake-ups go out after it.
        """

    def record(self, entry: Entry) -> None:
        """Add a row."""

    def audit(self, where: AuditFilter, *, before: int | None, limit: int) -> Sequence[AuditRecord]:
        """List rows, the newest first, with ids below `before`."""

    def prune_audit(self, entry: Entry, *, older_seconds: float) -> int:
        """Take away rows that are older, and say so in a row; returns how many went.

        With none to take away nothing is written.
        """
