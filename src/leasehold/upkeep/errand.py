"""A thread for what one worker of the fleet does: it is there only while there is work for it."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from leasehold.errors import LeaseholdError

if TYPE_CHECKING:
    from collections.abc import Callable

_logger = logging.getLogger("leasehold.upkeep")


class Errand:
    """Does one thing at a time; what goes wrong is logged, and whoever asks next goes on."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def may_begin(self) -> bool:
        """Whether nothing is under way, and nobody has told it to stop."""
        is_under_way = self._thread is not None and self._thread.is_alive()
        return not is_under_way and not self._stopped.is_set()

    def begin(self, work: Callable[[], object]) -> None:
        self._thread = threading.Thread(
            target=self._serve, args=(work,), name=f"leasehold-{self._name}", daemon=True
        )
        self._thread.start()

    def rest(self, seconds: float) -> bool:
        """Wait inside the work; True when it is to end."""
        return self._stopped.wait(seconds)

    def stop(self, timeout_seconds: float) -> None:
        """Let it end after the present step. Safe twice, and before it has begun."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(timeout_seconds)

    def _serve(self, work: Callable[[], object]) -> None:
        try:
            work()
        except LeaseholdError as error:
            _logger.warning("%s postponed", self._name, extra={"error": str(error)})
        except Exception:  # a service loop: whoever asks next goes on
            _logger.exception("%s postponed", self._name)
