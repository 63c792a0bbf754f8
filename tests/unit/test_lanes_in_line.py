"""A worker goes round the lanes by the age of their first jobs, from anywhere in that line."""

from __future__ import annotations

import random
from typing import Any

from leasehold.model.ids import WorkerId
from leasehold.model.lanes import Ask, LaneClaims, LaneSeen
from leasehold.model.values import Want
from leasehold.worker.lanes import Lanes

LANES = 50
WANTS = [Want("default", 100)]


class Seen:
    """A store in which 50 lanes have work: lane 0 for the longest time."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def look_lanes(self, *_args: Any, **_named: Any) -> list[LaneSeen]:
        lanes = [
            LaneSeen(f"default\x1f\x1f32767\x1f\x1f{number}", float(LANES - number), 1, 1)
            for number in range(LANES)
        ]
        random.shuffle(lanes)
        return lanes

    def claim_lanes(self, _worker: WorkerId, asks: list[Ask], **_named: Any) -> LaneClaims:
        self.asked += [int(ask.place.rpartition("\x1f")[2]) for ask in asks]
        return LaneClaims([], [])


def asked_for() -> list[int]:
    store: Any = Seen()
    lanes = Lanes(store, WorkerId(1), {})
    lanes.refresh(WANTS)
    lanes.claim(WANTS, LANES)
    return list(store.asked[:LANES])


def test_neighbours_are_asked_for_together() -> None:
    first, *rest = asked_for()
    assert rest == [(first + step) % LANES for step in range(1, LANES)]


def test_not_all_begin_with_the_same() -> None:
    assert len({asked_for()[0] for _ in range(20)}) > 1
