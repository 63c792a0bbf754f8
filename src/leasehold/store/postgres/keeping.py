"""How long ended jobs are kept, and taking away those past their time."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from leasehold.model.keeping import Duty, Keep, Pruned, Pruning, Retention, Scope
from leasehold.store.sql import load

if TYPE_CHECKING:
    from leasehold.model.ids import WorkerId

PACKAGE = "leasehold.store.postgres"
_SOMEBODY = "somebody"


class Keeping:
    """The part of the store that people and one worker at a time use."""

    skew_seconds: float

    @property
    def _skew(self) -> timedelta:
        raise NotImplementedError

    def _run(self, sql: str, **parameters: Any) -> list[Any]:
        raise NotImplementedError

    def retentions(self) -> list[Retention]:
        found = self._run(load(PACKAGE, "retentions"))
        return [
            Retention(
                scope=Scope(scope),
                name=name,
                keep=Keep(succeeded=succeeded, dead=dead, cancelled=cancelled),
                set_by=set_by,
            )
            for scope, name, succeeded, dead, cancelled, set_by in found
        ]

    def set_retention(self, scope: Scope, name: str, keep: Keep, *, by: str | None) -> None:
        self._run(
            load(PACKAGE, "set_retention"),
            scope=scope.value,
            name=name,
            succeeded=keep.succeeded,
            dead=keep.dead,
            cancelled=keep.cancelled,
            by=by or _SOMEBODY,
            skew=self._skew,
        )

    def reset_retention(self, scope: Scope, name: str) -> bool:
        return bool(self._run(load(PACKAGE, "reset_retention"), scope=scope.value, name=name))

    def prune(
        self,
        what: Pruning,
        cursor: str | None = None,
        *,
        limit: int = 1_000,
        dry_run: bool = False,
        late_seconds: float = 0.0,
    ) -> Pruned:
        ((seen, gone, following, is_busy),) = self._run(
            load(PACKAGE, f"prune_{what.value}"),
            cursor=cursor,
            limit=limit,
            dry_run=dry_run,
            late_seconds=late_seconds,
            skew_seconds=self.skew_seconds,
        )
        return Pruned(seen, gone, following, is_busy)

    def take_duty(self, name: str, worker: WorkerId, *, seconds: float) -> Duty | None:
        given = {"name": name, "worker": worker, "seconds": seconds, "skew": self._skew}
        found = self._run(load(PACKAGE, "take_duty"), **given)
        return Duty(name, found[0][0]) if found else None

    def renew_duty(
        self, name: str, worker: WorkerId, *, seconds: float, cursor: str | None
    ) -> bool:
        given = {"name": name, "worker": worker, "seconds": seconds, "cursor": cursor}
        return bool(self._run(load(PACKAGE, "renew_duty"), skew=self._skew, **given))
