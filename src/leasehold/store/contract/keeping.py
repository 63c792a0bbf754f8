"""What a store can do with ended jobs: keep them for a time, and take them away in small steps."""

from __future__ import annotations

from typing import Protocol

from leasehold.model.ids import WorkerId
from leasehold.model.keeping import Duty, Keep, Pruned, Pruning, Retention, Scope


class KeepingStore(Protocol):
    """Each method is one atomic operation, in small steps that nobody waits for."""

    def retentions(self) -> list[Retention]:
        """List what is said about keeping jobs: for all, then by queue, then by task."""

    def set_retention(self, scope: Scope, name: str, keep: Keep, *, by: str | None) -> None:
        """Say how long jobs are kept, in place of what was said there; what code declares stays."""

    def reset_retention(self, scope: Scope, name: str) -> bool:
        """Forget what was said; False when nothing was. A task's worker declares it again."""

    def prune(
        self,
        what: Pruning,
        cursor: str | None = None,
        *,
        limit: int = 1_000,
        dry_run: bool = False,
        late_seconds: float = 0.0,
    ) -> Pruned:
        """Look at the next `limit` and take away those past their time, by so many seconds.

        Skips what anybody has locked. A dry run takes nothing away.
        """

    def take_duty(self, name: str, worker: WorkerId, *, seconds: float) -> Duty | None:
        """Take on, for so long, what only one worker does at a time; None when another one has."""

    def renew_duty(
        self, name: str, worker: WorkerId, *, seconds: float, cursor: str | None
    ) -> bool:
        """Go on with it, and write down how far it is; False when another one has it by now.

        Nobody takes it on before so many seconds have passed: this is how it ends, too.
        """
