"""What alerts need to know, and the fleet's one memory of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import structs

from leasehold.model.alerts import Alert, Judged, Mute
from leasehold.store.sqlite.database import Database
from leasehold.store.sqlite.statements import as_json, count, rows, value
from leasehold.store.sqlite.times import (
    SECOND,
    Clock,
    from_datetime,
    to_datetime,
    to_datetime_or_none,
)

_SOMEBODY = "somebody"
_KEPT = 7 * 86_400 * SECOND  # after it cleared


class Alerts:
    """The part of the store that alerts stand on."""

    _database: Database
    _clock: Clock

    def died(self, *, within_seconds: float, limit: int) -> dict[str, int]:
        since = self._clock.now() - int(within_seconds * SECOND)
        with self._database.read() as connection:
            return dict(rows(connection, "died", since=since, limit=limit))

    def silent_seconds(self) -> float:
        with self._database.read() as connection:
            since: int = value(connection, "silent_since")
        return max(0.0, (self._clock.now() - since) / SECOND)

    def note_alerts(self, judged: Sequence[Judged]) -> None:
        above = [each for each in judged if each.is_above]
        below = [each for each in judged if each.is_below]
        if not self._may_change(above, below):
            return
        with self._database.write() as connection:
            now = self._clock.now()
            rows(connection, "fire_alerts", judged=_encoded(above), now=now)
            rows(connection, "clear_alerts", judged=_encoded(below), now=now)
            rows(connection, "forget_alerts", before=now - _KEPT)

    def _may_change(self, above: Sequence[Judged], below: Sequence[Judged]) -> bool:
        """Whether there is anything to write: no write lock is taken for nothing."""
        if above:
            return True
        known = self.alerts()
        fires = {(each.name, each.subject) for each in known if each.is_firing}
        return len(known) > len(fires) or any((e.name, e.subject) in fires for e in below)

    def remind_alerts(self, name: str, *, seconds: float) -> int:
        with self._database.write() as connection:
            now = self._clock.now()
            before = now - int(seconds * SECOND)
            return count(connection, "remind_alerts", name=name, now=now, before=before)

    def take_alert_news(self, *, seconds: float) -> list[Alert]:
        with self._database.read() as connection:
            if value(connection, "has_alert_news", now=self._clock.now()) is None:
                return []
        with self._database.write() as connection:
            now = self._clock.now()
            until = now + int(seconds * SECOND)
            return [
                _alert(row) for row in rows(connection, "take_alert_news", now=now, until=until)
            ]

    def settle_alert_news(
        self, alert: Alert, *, sent: Sequence[str], is_told: bool, again_seconds: float = 0.0
    ) -> bool:
        with self._database.write() as connection:
            now = self._clock.now()
            settled = count(
                connection,
                "settle_alert_news",
                name=alert.name,
                subject=alert.subject,
                is_firing=alert.is_firing,
                since=from_datetime(alert.since),
                sent=as_json(list(sent)),
                is_told=is_told,
                now=now,
                next_at=now + int(again_seconds * SECOND),
            )
        return settled > 0

    def alerts(self) -> list[Alert]:
        with self._database.read() as connection:
            return [_alert(row) for row in rows(connection, "alerts", now=self._clock.now())]

    def mute_alert(self, name: str, *, seconds: float, by: str | None) -> Mute:
        set_by = by or _SOMEBODY
        with self._database.write() as connection:
            until = self._clock.now() + int(seconds * SECOND)
            rows(connection, "mute_alert", name=name, until=until, by=set_by)
        return Mute(name=name, until=to_datetime(until), set_by=set_by)

    def unmute_alert(self, name: str) -> bool:
        with self._database.write() as connection:
            return bool(value(connection, "unmute_alert", name=name, now=self._clock.now()))

    def alert_mutes(self) -> list[Mute]:
        with self._database.read() as connection:
            found = rows(connection, "alert_mutes", now=self._clock.now())
        return [Mute(name=name, until=to_datetime(until), set_by=by) for name, until, by in found]


def _encoded(judged: Sequence[Judged]) -> str:
    return as_json(
        [
            structs.asdict(each)
            | {"seen_at": None if each.seen_at is None else from_datetime(each.seen_at)}
            for each in judged
        ]
    )


def _alert(row: Sequence[Any]) -> Alert:
    return Alert(
        name=row[0],
        subject=row[1],
        level=row[2],
        is_firing=bool(row[3]),
        since=to_datetime(row[4]),
        value=row[5],
        bound=row[6],
        seen_at=to_datetime(row[7]),
        told_at=to_datetime_or_none(row[8]),
        sent=tuple(msgspec.json.decode(row[9])),
        tries=row[10],
        reminders=row[11],
        muted_until=to_datetime_or_none(row[12]),
    )
