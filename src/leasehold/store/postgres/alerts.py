"""What alerts need to know, and the fleet's one memory of them."""

from __future__ import annotations

from datetime import UTC, timedelta
from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.model.alerts import Alert, Judged, Mute
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

PACKAGE = "leasehold.store.postgres"
_SOMEBODY = "somebody"


class Alerts:
    """The part of the store that alerts stand on."""

    @property
    def _skew(self) -> timedelta:
        raise NotImplementedError

    def _run(self, sql: str, **parameters: Any) -> list[Any]:
        raise NotImplementedError

    def _alert(self, operation: str, **parameters: Any) -> list[Any]:
        return self._run(load(PACKAGE, operation), skew=self._skew, **parameters)

    def died(self, *, within_seconds: float, limit: int) -> dict[str, int]:
        return dict(self._alert("died", within_seconds=within_seconds, limit=limit))

    def silent_seconds(self) -> float:
        seconds: float = self._alert("silent_seconds")[0][0]
        return seconds

    def note_alerts(self, judged: Sequence[Judged]) -> None:
        if above := [each for each in judged if each.is_above]:
            self._alert("fire_alerts", judged=_encoded(above))
        if below := [each for each in judged if each.is_below]:
            self._alert("clear_alerts", judged=_encoded(below))
        self._alert("forget_alerts")

    def remind_alerts(self, name: str, *, seconds: float) -> int:
        return len(self._alert("remind_alerts", name=name, seconds=seconds))

    def take_alert_news(self, *, seconds: float) -> list[Alert]:
        return [_alert(row) for row in self._alert("take_alert_news", seconds=seconds)]

    def settle_alert_news(
        self, alert: Alert, *, sent: Sequence[str], is_told: bool, again_seconds: float = 0.0
    ) -> bool:
        settled = self._alert(
            "settle_alert_news",
            name=alert.name,
            subject=alert.subject,
            is_firing=alert.is_firing,
            since=alert.since,
            sent=_encoded(list(sent)),
            is_told=is_told,
            again_seconds=again_seconds,
        )
        return bool(settled)

    def alerts(self) -> list[Alert]:
        return [_alert(row) for row in self._alert("alerts")]

    def mute_alert(self, name: str, *, seconds: float, by: str | None) -> Mute:
        return _mute(self._alert("mute_alert", name=name, seconds=seconds, by=by or _SOMEBODY)[0])

    def unmute_alert(self, name: str) -> bool:
        return any(was_muted for (was_muted,) in self._alert("unmute_alert", name=name))

    def alert_mutes(self) -> list[Mute]:
        return [_mute(row) for row in self._alert("alert_mutes")]


def _encoded(values: Sequence[Any]) -> str:
    return msgspec.json.encode(values).decode()


def _mute(row: Sequence[Any]) -> Mute:
    return Mute(name=row[0], until=row[1].astimezone(UTC), set_by=row[2])


def _alert(row: Sequence[Any]) -> Alert:
    return Alert(
        name=row[0],
        subject=row[1],
        level=row[2],
        is_firing=row[3],
        since=row[4].astimezone(UTC),
        value=row[5],
        bound=row[6],
        seen_at=row[7].astimezone(UTC),
        told_at=_utc(row[8]),
        sent=tuple(row[9]),
        tries=row[10],
        reminders=row[11],
        muted_until=_utc(row[12]),
    )


def _utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(UTC)
