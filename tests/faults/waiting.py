"""Waits for a condition, with a deadline: no test here sleeps and hopes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

LOOK_SECONDS = 0.02


def wait_for(what: str, look: Callable[[], T | None], seconds: float) -> T:
    """Look until there is something to see, and return it; `what` names it when there is not."""
    give_up = time.monotonic() + seconds
    while not (seen := look()):
        if time.monotonic() > give_up:
            raise AssertionError(f"no {what} within {seconds:g} s (last seen: {seen!r})")
        time.sleep(LOOK_SECONDS)
    return seen
