"""Claims from lanes: what to ask the database, and what its answers mean."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.model.lanes import (
    ENDLESS,
    HELD,
    LONGEST_LINE,
    USUAL,
    LaneClaims,
    LaneSeen,
    Place,
    bounds_of,
    head_of,
    holder_of,
    line_length,
    read_place,
)
from leasehold.model.values import Claim, Only
from leasehold.store.postgres.arrays import pack_integers, pack_texts
from leasehold.store.postgres.gates import gate_of
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from datetime import timedelta

    from leasehold.model.ids import JobId, WorkerId
    from leasehold.model.lanes import Ask, Look, Pause
    from leasehold.model.values import Held

PACKAGE = "leasehold.store.postgres"

_LANE, _JOB_ID, _SLOTS = 0, 1, -1  # columns of claim_lines
_BUSY = -1  # in place of how many slots

_ASIDE = ("=", HELD)  # the stages of jobs that were set aside

_encode = msgspec.json.Encoder().encode


class Lanes:
    """One worker's operations on lanes, at one moment of the store's clock."""

    def __init__(self, run: Callable[..., list[Any]], worker: WorkerId, skew: timedelta) -> None:
        self._run = run
        self._worker = worker
        self._skew = skew

    def look(
        self, looks: Sequence[Look], *, parties: int, page: int, after: Mapping[str, str]
    ) -> list[LaneSeen]:
        bounds = [bounds_of(look) for look in looks]
        found = self._run(
            load(PACKAGE, "look_lanes"),
            worker=self._worker,
            queues=[look.queue for look in looks],
            afters=[after for after, _ in bounds],
            uptos=[upto for _, upto in bounds],
            parties=parties,
            page=page,
            pages=_encode(after).decode(),
            skew=self._skew,
        )
        return [LaneSeen(*row) for row in found]

    def look_for_batch(self, looks: Sequence[Look], batch: JobId) -> list[LaneSeen]:
        heads = [head_of(look.queue, look.stage) for look in looks]
        found = self._run(
            load(PACKAGE, "look_lanes_batch"),
            worker=self._worker,
            heads=heads,
            batch=batch,
            skew=self._skew,
        )
        return [LaneSeen(*row) for row in found]

    def claim(
        self,
        asks: Sequence[Ask],
        *,
        limit: int,
        leases: Mapping[str, float],
        only: Only | None = None,
        limited: Collection[str] = (),
        short: Collection[str] = (),
    ) -> LaneClaims:
        """Take what was asked for; of jobs that were set aside, a suspect comes alone."""
        mosts = _merge(asks)
        given: dict[str, Any] = {"leases": leases, "only": only, "limited": limited}
        taken = LaneClaims([], [])
        rest: Mapping[str, int] = mosts
        if short and only is None:
            taken, rest = self._take_lines(mosts, limit, short, leases)
        left = limit - len(taken.claims)
        _add(taken, self._take_by_gates(rest, limit=left, suspects=False, **given))
        aside = {place: 1 for place in mosts if read_place(place).stage[:1] in _ASIDE}
        if taken.claims or not aside:
            return taken
        return self._take_by_gates(aside, limit=1, suspects=True, **given)

    def _take_lines(
        self,
        mosts: Mapping[str, int],
        limit: int,
        short: Collection[str],
        leases: Mapping[str, float],
    ) -> tuple[LaneClaims, Mapping[str, int]]:
        """Take lines of the lanes with a throttle, of each key once, as deep as there is room.

        Returns also what is left to ask for: the lanes that are not for lines.
        """
        places = {read_place(place).lane: place for place in mosts if _is_usual(place)}
        places.pop("", None)
        texts = list(places.values())
        if not texts or line_length(sum(mosts[place] for place in texts), limit) == 1:
            return LaneClaims([], []), mosts
        taken = self._run(
            load(PACKAGE, "claim_lines"),
            places=pack_texts([place.encode() for place in texts]),
            mosts=pack_integers([mosts[place] for place in texts]),
            limit=limit,
            longest=LONGEST_LINE,
            short=list(short),
            leases=_encode(leases).decode(),
            worker=self._worker,
            skew=self._skew,
        )
        lines, unfit = lines_of(taken, places, leases)
        left = mosts.keys() - set(texts) | set(unfit)
        return lines, {place: mosts[place] for place in mosts if place in left}

    def hold_slot(self, lease: Held) -> bool:
        held = self._run(
            load(PACKAGE, "hold_slot"),
            worker=self._worker,
            job_id=lease.job_id,
            fence=lease.fence,
        )
        return bool(held)

    def pause(self, lease: Held, pause: Pause) -> bool:
        paused = self._run(
            load(PACKAGE, "pause_lane"),
            worker=self._worker,
            job_id=lease.job_id,
            fence=lease.fence,
            until=pause.until,
            seconds=pause.seconds,
            reason=pause.reason,
            by=pause.by,
            skew=self._skew,
        )
        return bool(paused)

    def _take_by_gates(
        self, mosts: Mapping[str, int], *, limit: int, limited: Collection[str], **given: Any
    ) -> LaneClaims:
        """Take what has a limit beside its lane's, of its queue or tenant, one after the other."""
        taken = LaneClaims([], [])
        for (gate, holder), places in groupby(mosts, lambda place: _gates(place, limited)):
            part = {place: mosts[place] for place in places}
            left = limit - len(taken.claims)
            _add(taken, self._take(part, limit=left, gate=gate, holder=holder, **given))
        return taken

    def _take(
        self,
        mosts: Mapping[str, int],
        *,
        limit: int,
        leases: Mapping[str, float],
        suspects: bool,
        only: Only | None,
        gate: str | None,
        holder: str | None,
    ) -> LaneClaims:
        if not mosts or limit <= 0:
            return LaneClaims([], [])
        narrow: dict[str, Any] = {}
        if only is not None or holder is not None:  # who counts a tenant's does not set aside
            asked = only or Only()
            narrow = {"batch": asked.batch, "kinds": asked.of(leases), "holder": holder}
        taken = self._run(
            load(PACKAGE, "claim_lanes_only" if narrow else "claim_lanes"),
            places=pack_texts([place.encode() for place in mosts]),
            mosts=pack_integers(list(mosts.values())),
            limit=limit,
            leases=_encode(leases).decode(),
            worker=self._worker,
            skew=self._skew,
            suspects=suspects,
            gate=gate,
            **narrow,
        )
        return claims_of(taken, list(mosts), leases)


def _is_usual(place: str) -> bool:
    return read_place(place).stage == USUAL


def _gates(place: str, limited: Collection[str]) -> tuple[str | None, str | None]:
    """Name what bounds a claim beside the lane's own limits: its queue, its tenant."""
    queue, stage, *_ = read_place(place)
    return gate_of(queue, limited), holder_of(stage)


def _merge(asks: Iterable[Ask]) -> dict[str, int]:
    """Ask for each place once: a row that is picked twice is still one job."""
    mosts: dict[str, int] = {}
    for ask in asks:
        mosts[ask.place] = min(ENDLESS, mosts.get(ask.place, 0) + ask.most)
    return mosts


def _add(taken: LaneClaims, more: LaneClaims) -> None:
    taken.claims.extend(more.claims)
    taken.busy.extend(more.busy)


def claims_of(
    taken: Iterable[tuple[Any, ...]], texts: Sequence[str], leases: Mapping[str, float]
) -> LaneClaims:
    """Read the rows of claim_lanes; what all jobs of a place have in common is in its text."""
    claims, busy = [], []
    for number, *row in taken:
        text = texts[number - 1]
        if row[0] is None:
            busy.append(text)
        else:
            claims.append(_claim(row, text, read_place(text), leases))
    return LaneClaims(claims, busy)


def lines_of(
    taken: Sequence[tuple[Any, ...]], texts: Mapping[str, str], leases: Mapping[str, float]
) -> tuple[LaneClaims, list[str]]:
    """Read the rows of claim_lines: the jobs, dealt to the slots of their lanes, and what is left.

    Each stands behind the one that is as many before it in its lane as that has slots. A lane's
    come together, as they run.
    """
    slots = {row[_LANE]: row[_SLOTS] for row in taken if row[_JOB_ID] is None}
    lines: dict[str, list[tuple[Any, ...]]] = {lane: [] for lane in slots}
    for row in taken:
        if row[_JOB_ID] is not None:
            lines[row[_LANE]].append(row)
    claims = []
    for lane, line in lines.items():
        text, place = texts[lane], read_place(texts[lane])
        for number, row in enumerate(line, -(slots[lane] or 0)):
            behind = line[number][_JOB_ID] if number >= 0 else None
            claims.append(_claim(row[_JOB_ID:_SLOTS], text, place, leases, behind))
    busy = [texts[lane] for lane, count in slots.items() if count == _BUSY]
    return LaneClaims(claims, busy), [texts[lane] for lane, count in slots.items() if count is None]


def _claim(
    row: Sequence[Any],
    text: str,
    place: Place,
    leases: Mapping[str, float],
    behind: JobId | None = None,
) -> Claim:
    job_id, fence, kind, args, attempt, failures, lapses, most, timeout, tenant, batch, trace = row
    return Claim(
        job_id,
        fence,
        kind,
        place.queue,
        args,
        attempt,
        failures,
        lapses,
        most,
        timeout,
        tenant,
        place.priority,
        leases[kind],
        text,
        batch,
        trace,
        behind,
    )
