"""A start that must not take longer than there is time."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Start:
    """A start that may take too long; when it succeeds after all, it is undone at once."""

    def __init__(
        self, start: Callable[[Callable[[], bool]], object], undo: Callable[[], object]
    ) -> None:
        self._start = start
        self._undo = undo
        self._lock = threading.Lock()
        self._is_done = False
        self._is_late = False
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._serve, name="leasehold-start", daemon=True)

    def begin(self) -> None:
        self._thread.start()

    def wait(self, timeout_seconds: float) -> bool:
        """Wait until it has started; False when that takes too long. Its error is raised here."""
        self._thread.join(max(0.0, timeout_seconds))
        with self._lock:
            self._is_late = not self._is_done
        if self._error is not None:
            raise self._error
        return not self._is_late

    def _serve(self) -> None:
        try:
            self._start(lambda: self._is_late)
        except BaseException as error:  # noqa: BLE001 - raised again by who waits
            self._error = error
        with self._lock:
            self._is_done = True
            is_late = self._is_late
        if is_late and self._error is None:
            self._undo()
