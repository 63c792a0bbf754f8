"""How long ended jobs are kept, and taking away those past their time."""

from __future__ import annotations

from leasehold.model.ids import WorkerId
from leasehold.model.keeping import Duty, Keep, Pruned, Pruning, Retention, Scope
from leasehold.store.sqlite import pruning, retentions
from leasehold.store.sqlite.database import Database
from leasehold.store.sqlite.statements import count, rows, value
from leasehold.store.sqlite.times import SECOND, Clock


class Keeping:
    """The part of the store that people and one worker at a time use."""

    _database: Database
    _clock: Clock

    def retentions(self) -> list[Retention]:
        with self._database.read() as connection:
            return retentions.listed(connection)

    def set_retention(self, scope: Scope, name: str, keep: Keep, *, by: str | None) -> None:
        with self._database.write() as connection:
            retentions.set_one(connection, scope, name, keep, by=by, now=self._clock.now())

    def reset_retention(self, scope: Scope, name: str) -> bool:
        with self._database.write() as connection:
            return retentions.reset(connection, scope, name)

    def prune(
        self,
        what: Pruning,
        cursor: str | None = None,
        *,
        limit: int = 1_000,
        dry_run: bool = False,
        late_seconds: float = 0.0,
    ) -> Pruned:
        step = pruning.Step(
            what=what,
            cursor=cursor,
            limit=limit,
            late_seconds=late_seconds,
            now=self._clock.now(),
        )
        with self._database.read() as connection:
            found = pruning.look(connection, step)
            is_busy = bool(value(connection, "is_busy"))
        if dry_run or (found.count == 0 and found.batch is None):
            return Pruned(found.seen, found.count, found.cursor, is_busy)
        with self._database.write() as connection:
            taken = pruning.take_away(connection, step)
        return Pruned(taken.seen, taken.gone, taken.cursor, is_busy)

    def take_duty(self, name: str, worker: WorkerId, *, seconds: float) -> Duty | None:
        with self._database.read() as connection:
            if not value(connection, "take_duty_look", name=name, now=self._clock.now()):
                return None
        with self._database.write() as connection:
            now = self._clock.now()
            until = now + int(seconds * SECOND)
            found = rows(connection, "take_duty", name=name, worker=worker, until=until, now=now)
        return Duty(name, found[0][0]) if found else None

    def renew_duty(
        self, name: str, worker: WorkerId, *, seconds: float, cursor: str | None
    ) -> bool:
        given = {"name": name, "worker": worker, "cursor": cursor}
        with self._database.write() as connection:
            until = self._clock.now() + int(seconds * SECOND)
            return count(connection, "renew_duty", until=until, **given) > 0
