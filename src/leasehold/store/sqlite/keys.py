"""How throttle keys stand, and what a claim takes of them. The write lock keeps a count true."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import msgspec

from leasehold.model.ids import WorkerId
from leasehold.model.lanes import ENDLESS, OWN, LaneState, names_of, room_of, tenant_of, tokens_of
from leasehold.store.sqlite.statements import as_json, rows, value
from leasehold.store.sqlite.times import FOREVER, SECOND

_NOBODY = WorkerId(0)
_TIDY_STEP = 1000
_LONG_SECONDS = 3600


class _Row(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """The columns of lane_states.sql."""

    lane: str
    paused_until: int
    running: int
    here: int
    running_limit: int | None
    per_worker: int | None
    rate: float | None
    burst: float | None
    full_at: int | None
    owed: float


_decode = msgspec.json.Decoder(list[_Row]).decode


@dataclass(slots=True)
class Key:
    """What a key has left. A claim counts it down and then writes what it took of a rate."""

    lane: str
    room: int
    tokens: float
    rate: float | None
    burst: float
    paused_until: int  # 0 when it is not
    most: int  # may run at once
    has_spent: bool = False  # of its rate

    @property
    def is_rated(self) -> bool:
        return self.rate is not None

    def admits(self, cost: float) -> bool:
        """Whether one more may start now; one that costs more than a full bucket needs a full one.

        A pause, or a rule that nobody has declared, is no room.
        """
        return self.room > 0 and min(cost, self.burst) <= self.tokens

    def take(self, cost: float) -> None:
        self.room -= 1
        self.tokens -= cost
        self.has_spent = self.rate is not None

    def room_for(self, cost: float) -> int:
        """Say how many of this cost may start now."""
        if not self.admits(cost):
            return 0
        return (
            min(self.room, max(1, int(self.tokens / cost))) if self.is_rated and cost else self.room
        )

    def fills_seconds(self, cost: float) -> float | None:
        """Say in how many seconds it has the tokens for one of this cost; None when it has them."""
        missing = min(cost, self.burst) - self.tokens
        return missing / self.rate if self.rate and self.room > 0 and missing > 0 else None


def read_keys(
    connection: sqlite3.Connection, lanes: Collection[str], worker: WorkerId, now: int
) -> dict[str, Key]:
    if not lanes:
        return {}
    own = [lane for lane in lanes if lane.startswith(OWN)]
    shared = [lane for lane in lanes if not lane.startswith(OWN)] if own else list(lanes)
    found = _read_states(connection, "lane_states", shared, worker) if shared else []
    if own:
        asked = [(lane, *names_of(lane)) for lane in own]
        found += _read_states(connection, "own_lane_states", asked, worker)
    return {row.lane: _to_key(row, now) for row in found}


def _read_states(
    connection: sqlite3.Connection, name: str, keys: Sequence[object], worker: WorkerId
) -> list[_Row]:
    return _decode(value(connection, name, keys=as_json(keys), worker=worker))


def _to_key(row: _Row, now: int) -> Key:
    is_paused = row.paused_until > now
    limits = (row.running_limit, row.per_worker, row.rate)
    state = LaneState(
        is_known=limits != (None, None, None),
        is_paused=is_paused,
        running=row.running,
        here=row.here,
        running_limit=row.running_limit,
        per_worker=row.per_worker,
        rate=row.rate,
        burst=row.burst,
        used_seconds=_used_seconds(row, now),
    )
    return Key(
        row.lane,
        room_of(state),
        tokens_of(state),
        row.rate,
        math.inf if row.burst is None else row.burst,
        row.paused_until if is_paused else 0,
        min(ENDLESS, row.running + room_of(state)),
    )


def _used_seconds(row: _Row, now: int) -> float:
    """Say how far it is to a full bucket, as if claims had reserved what their attempts spent.

    So a debt is paid off by time, although nobody takes it in while no job of the key may start.
    """
    if row.rate is None:
        return 0.0
    filling = 0.0 if row.full_at is None else (row.full_at - now) / SECOND
    return filling + row.owed / row.rate


def read_tokens(
    connection: sqlite3.Connection, lanes: Collection[str], now: int
) -> dict[str, float]:
    """Read what is left of the rates of these keys, where they have one."""
    keys = read_keys(connection, lanes, _NOBODY, now)
    return {key.lane: key.tokens for key in keys.values() if key.is_rated}


def pour(connection: sqlite3.Connection, key: Key, now: int) -> None:
    """Write down what is left; what attempts owed or gave back has been taken in with it.

    Rounded up, so that a window never holds more than burst + rate x window.
    """
    if key.rate is None:
        return
    rows(connection, "charge_fold", lane=key.lane)
    empty_seconds = (key.burst - key.tokens) / key.rate
    full_at = min(FOREVER, now + math.ceil(empty_seconds * SECOND))
    tenant = tenant_of(key.lane) or ""
    rows(connection, "bucket_pour", lane=key.lane, tenant=tenant, full_at=full_at)


def needs_tidying(connection: sqlite3.Connection, now: int) -> bool:
    return value(connection, "tend_lanes_look", long_ago=now - _LONG_SECONDS * SECOND) is not None


def tidy(connection: sqlite3.Connection, now: int) -> None:
    """Take in what keys without waiting jobs are owed, and forget what says nothing any more."""
    lanes = [row[0] for row in rows(connection, "tend_charges", limit=_TIDY_STEP)]
    for key in read_keys(connection, lanes, _NOBODY, now).values():
        if key.is_rated:
            pour(connection, key, now)
        else:
            rows(connection, "charge_fold", lane=key.lane)
    long_ago = now - _LONG_SECONDS * SECOND
    rows(connection, "tend_buckets", long_ago=long_ago)
    rows(connection, "tend_keys", long_ago=long_ago)
