"""Waits for an import, and does its work where nobody else would."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec

import leasehold as lh
from leasehold.kit.cli import has_worker
from leasehold_links.data import imports
from leasehold_links.tasks import import_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.kit.cli import Opened

_LOOK_SECONDS = 0.2


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """How an import ended."""

    import_id: UUID
    counts: dict[str, int]
    total: int
    reasons: dict[str, int]
    error: lh.LeaseholdError | None = None

    @property
    def status(self) -> str:
        if self.error is None:
            return "succeeded"
        return "canceled" if isinstance(self.error, lh.JobCancelled) else "failed"

    def document(self) -> dict[str, Any]:
        """Return it for programs."""
        head = {"import": self.import_id, "status": self.status, "total": self.total}
        return {**head, **self.counts, "reasons": self.reasons}

    def told(self) -> str:
        """Say it to people."""
        parts = ", ".join(f"{amount:,} {name}" for name, amount in self.counts.items())
        lines = [f"import {self.import_id} {self.status}: {parts}"]
        lines += [f"  {amount:,} x {reason}" for reason, amount in self.reasons.items()]
        return "\n".join(lines)

    def raise_if_failed(self) -> None:
        if self.error is not None:
            raise self.error


def is_worked_on(client: lh.Client) -> bool:
    """Whether a worker is there that imports."""
    return has_worker(client, import_file.name)


def follow(
    library: Opened,
    import_id: UUID,
    progress: Callable[[int, int | None], None] | None,
    tell: Callable[[str], None],
) -> Summary:
    """Wait until an import has ended, however it ends."""
    client = library.client
    is_ours = not is_worked_on(client)
    if is_ours:
        tell("No worker is there: this command does the work.")
    error = None
    with lh.Worker(client, [import_file], slots=1) if is_ours else nullcontext():
        try:
            _wait(library, import_id, progress)
        except (lh.JobFailed, lh.JobCancelled) as failed:
            error = failed
        except KeyboardInterrupt:
            tell(f"import {import_id} goes on where it was with the next worker")
            raise
    return _sum_up(library, import_id, error)


def _wait(
    library: Opened, import_id: UUID, progress: Callable[[int, int | None], None] | None
) -> None:
    while True:
        try:
            library.client.wait(import_id, timeout=_LOOK_SECONDS)
        except lh.WaitTimeout:
            if progress is not None:
                row = _row(library, import_id)
                progress(imports.counts_of(row).processed, row["total_items"])
        else:
            return


def _sum_up(library: Opened, import_id: UUID, error: lh.LeaseholdError | None) -> Summary:
    row = _row(library, import_id)
    with library.database.read() as connection:
        reasons = imports.count_reasons(connection, import_id)
    return Summary(
        import_id=import_id,
        counts=imports.counts_of(row)._asdict(),
        total=row["total_items"] or 0,
        reasons=reasons,
        error=error,
    )


def _row(library: Opened, import_id: UUID) -> dict[str, Any]:
    with library.database.read() as connection:
        row = imports.get(connection, import_id)
    assert row is not None  # noqa: S101 - nobody deletes an import
    return row
