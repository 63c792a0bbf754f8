"""What people say about throttles, shares and queues: each is one row by its name."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.model.lanes import QueueInfo, ShareInfo
from leasehold.store.sql import load
from leasehold.store.told_throttles import SaidRow, tell_throttles

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from datetime import timedelta

    from leasehold.model.lanes import Pause, RuleChange, ThrottleInfo
    from leasehold.store.postgres.connection import Connection
    from leasehold.store.postgres.statements import Statements

PACKAGE = "leasehold.store.postgres"
SOMEBODY = "somebody"

_encode = msgspec.json.Encoder().encode


class Rules:
    """No claim writes these rows, so nobody here waits for a worker."""

    def __init__(
        self,
        lend: Callable[[], AbstractContextManager[Connection]],
        statements: Statements,
        *,
        skew: Callable[[], timedelta],
        wake: Callable[[], None],
    ) -> None:
        self._lend = lend
        self._statements = statements
        self._skew = skew
        self._wake = wake

    def throttles(self, tenant: str | None) -> list[ThrottleInfo]:
        found = self._run("throttles", tenant=tenant)
        rows = (SaidRow(**_fields(SaidRow._fields, row)) for row in found)
        return tell_throttles(rows, tenant)

    def change_throttle(self, name: str, change: RuleChange, tenant: str) -> None:
        self._run(
            "change_throttle",
            name=name,
            tenant=tenant,
            change=_encode(change).decode(),
            by=change.by or SOMEBODY,
        )
        self._wake()

    def reset_throttle(self, name: str, tenant: str) -> bool:
        was_set = bool(self._run("reset_throttle", name=name, tenant=tenant))
        self._wake()
        return was_set

    def refill_throttle(self, name: str) -> bool:
        with self._lend() as connection, connection.transaction():
            connection.execute(load(PACKAGE, "lock_turnstile").encode(), {"name": name})
            # A later statement, so that it sees what the lock waited for.
            sql = load(PACKAGE, "refill_throttle").encode()
            given = {"name": name, "skew": self._skew()}
            was_used = connection.execute(sql, given).fetchone() is not None
        self._wake()
        return was_used

    def pause(self, what: str, name: str, pause: Pause, **whose: str) -> None:
        """Pause a throttle or a queue."""
        self._run(
            f"pause_{what}",
            name=name,
            until=pause.until,
            seconds=pause.seconds,
            reason=pause.reason,
            by=pause.by,
            **whose,
        )

    def resume(self, what: str, name: str, **whose: str) -> bool:
        """End the pause of a throttle or a queue."""
        was_paused = bool(self._run(f"resume_{what}", name=name, **whose))
        self._wake()
        return was_paused

    def shares(self) -> list[ShareInfo]:
        names = ShareInfo.__struct_fields__
        return [ShareInfo(**_fields(names, row)) for row in self._run("shares")]

    def change_share(self, name: str, weight: int, by: str | None) -> None:
        self._run("change_share", name=name, weight=weight, by=by or SOMEBODY)

    def queues(self) -> list[QueueInfo]:
        names = QueueInfo.__struct_fields__
        return [QueueInfo(**_fields(names, row)) for row in self._run("queues")]

    def limit_queue(self, name: str, running: int | None, by: str | None) -> bool:
        was_limited = bool(self._run("limit_queue", name=name, running=running, by=by or SOMEBODY))
        if running is not None and not was_limited:
            self._run("mark_gate", name=name)
        self._wake()
        return was_limited

    def set_aging(self, name: str, aging_seconds: float | None) -> None:
        self._run("set_aging", name=name, aging_seconds=aging_seconds)

    def _run(self, operation: str, **parameters: Any) -> list[Any]:
        with self._lend() as connection:
            given = {"skew": self._skew(), **parameters}
            return self._statements.run(connection, load(PACKAGE, operation), given)


def _fields(names: tuple[str, ...], row: tuple[Any, ...]) -> dict[str, Any]:
    """Name a row's values; times come without a zone, since the last of all has no other."""
    return {
        name: value.replace(tzinfo=UTC) if isinstance(value, datetime) else value
        for name, value in zip(names, row, strict=True)
    }
