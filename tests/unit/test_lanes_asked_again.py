"""A slot that is freed while another worker's claim has its key: who freed it asks again."""

from __future__ import annotations

import time
from typing import Any

import pytest

from leasehold.model.ids import WorkerId
from leasehold.model.lanes import Ask, LaneClaims, LaneSeen
from leasehold.model.values import Want
from leasehold.worker.lanes import MOST_GATHER_SECONDS, Lanes

PLACE = "default\x1f\x1f32767\x1f\x1fdomain:a.com"
WANTS = [Want("default", 10)]


class Scripted:
    """A store that has nothing; each claim of lanes finds these keys with another worker."""

    def __init__(self, *busy: list[str]) -> None:
        self.asked: list[list[str]] = []
        self.looks = 0
        self.answered_at = 0.0
        self._busy = list(busy)

    def look_lanes(self, *_args: Any, **_named: Any) -> list[LaneSeen]:
        self.looks += 1
        time.sleep(0.1)  # the next one is seconds away
        return []

    def claim_lanes(self, _worker: WorkerId, asks: list[Ask], **_named: Any) -> LaneClaims:
        self.asked.append([ask.place for ask in asks])
        time.sleep(0.002)
        self.answered_at = time.monotonic()
        return LaneClaims([], self._busy.pop(0) if self._busy else [])


def opened(store: Any) -> Lanes:
    """Lanes that have looked, and of which a slot was freed here."""
    lanes = Lanes(store, WorkerId(1), {})
    lanes.refresh(WANTS)
    lanes.free([PLACE])
    return lanes


def ask(lanes: Lanes) -> None:
    lanes.refresh(WANTS)
    lanes.claim(WANTS, 10)


def test_it_is_asked_for_until_it_was_nobody_elses() -> None:
    store = Scripted([PLACE], [PLACE])
    lanes = opened(store)
    for _ in range(5):
        ask(lanes)
    assert store.asked == [[PLACE]] * 3
    assert store.looks == 1


def test_it_is_asked_for_soon_but_not_at_once() -> None:
    store = Scripted([PLACE])
    lanes = opened(store)
    ask(lanes)
    assert lanes.has_freed
    assert lanes.opens_at - store.answered_at >= 0.004
    assert lanes.opens_at <= time.monotonic() + MOST_GATHER_SECONDS


@pytest.mark.parametrize("busy", [[], ["default\x1f\x1f32767\x1f\x1fdomain:b.com"]])
def test_what_was_not_freed_here_or_is_full_is_not_asked_for_again(busy: list[str]) -> None:
    store = Scripted(busy)
    lanes = opened(store)
    ask(lanes)
    ask(lanes)
    assert store.asked == [[PLACE]]
