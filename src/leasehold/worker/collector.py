"""The garbage collector while a worker has the process to itself."""

from __future__ import annotations

import gc
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# More than what the jobs that are claimed ahead are made of: they come and go without cycles.
YOUNG_OBJECTS = 20_000


@contextmanager
def calm_collector() -> Iterator[None]:
    """Do not look, a thousand times a second, for cycles among modules and jobs under way.

    Under load that was a third of a worker's CPU (measured). What handlers leave behind is still
    collected, and afterwards all is as it was: what the program had frozen itself stays so. A run
    in another thread has the process not to itself, and leaves it alone.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    thresholds = gc.get_threshold()
    is_frozen = gc.get_freeze_count() > 0
    if not is_frozen:
        gc.freeze()
    gc.set_threshold(max(YOUNG_OBJECTS, thresholds[0]), *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        if not is_frozen:
            gc.unfreeze()
