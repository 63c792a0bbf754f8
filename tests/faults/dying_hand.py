"""Fires what is due, once, and is killed at a given point of it: `… URL POINT SKEW`."""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import Any

import leasehold.store.postgres.statements
import leasehold.store.sqlite.schedules
from leasehold.store import open_store
from leasehold.upkeep.schedules import Firings

POINTS = ("before", "amid", "after")


def die(*_: Any) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    url, point, skew = sys.argv[1:]
    store: Any = open_store(url)
    store.skew_seconds = float(skew)
    fire = store.fire

    def fire_and_die(firing: Any) -> Any:
        if point == "before":
            die()
        if (
            point == "amid"
        ):  # the schedule has moved, its job is not there; or it is sent, unanswered
            vars(leasehold.store.sqlite.schedules)["run_script"] = die
            vars(leasehold.store.postgres.statements)["_receive"] = die
        fire(firing)
        return die()

    store.fire = fire_and_die
    hand = Firings(store, clock=time.monotonic)
    hand.expect(0.0)
    hand.step()


if __name__ == "__main__":
    main()
