"""A lock between the processes of one machine, with a bounded wait.

SQLite's own waiting is a sleep and a look, so that with 8 writers one may look at the wrong moment
for seconds. The kernel queues those who wait for flock (longest wait measured: 0.27 s).
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from typing import Any

from leasehold.errors import StoreRefused

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows: SQLite's own waiting must do
    fcntl = None


class FileLock:
    """Used by one thread at a time: the gate sees to that."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._own: int | None = None
        self._held: int | None = None
        self._waiter: _Waiter | None = None

    def acquire(self, timeout_seconds: float) -> bool:
        """Take the lock; False when somebody else kept it all that time."""
        if fcntl is None:
            return True
        if self._own is None:
            self._own = _open(self._path)
        if _try_lock(self._own):
            self._held = self._own
        else:
            self._held = self._wait(timeout_seconds)
        return self._held is not None

    def release(self) -> None:
        if fcntl is None or self._held is None:
            return
        # Unlocking, not only closing: a forked child may have a copy of the descriptor.
        fcntl.flock(self._held, fcntl.LOCK_UN)
        if self._held != self._own:
            os.close(self._held)
        self._held = None

    def close(self) -> None:
        if self._own is not None:
            os.close(self._own)
        self._own = None

    def forget(self) -> None:
        """In a forked child: let go of the copies, so that they can't outlive the parent."""
        self.close()
        if self._waiter is not None:
            os.close(self._waiter.descriptor)
        self._held = self._waiter = None

    def _wait(self, timeout_seconds: float) -> int | None:
        if self._waiter is None or not self._waiter.is_wanted_again():
            self._waiter = _Waiter(_open(self._path))
        descriptor = self._waiter.wait(timeout_seconds)
        if descriptor is not None:
            self._waiter = None
        return descriptor


class _Waiter:
    """Waits in a thread of its own, since flock itself knows no timeout.

    One that nobody wants any more goes on waiting, for the next who comes; if it gets the lock
    before that, it gives it back.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._lock = threading.Lock()
        self._has_it = threading.Event()
        self._is_wanted = True
        self._is_over = False
        threading.Thread(target=self._run, name="leasehold-flock", daemon=True).start()

    def is_wanted_again(self) -> bool:
        with self._lock:
            self._is_wanted = not self._is_over
            return self._is_wanted

    def wait(self, timeout_seconds: float) -> int | None:
        try:
            self._has_it.wait(timeout_seconds)
        finally:
            with self._lock:
                self._is_wanted = self._has_it.is_set()
        return self.descriptor if self._is_wanted else None

    def _run(self) -> None:
        fcntl.flock(self.descriptor, fcntl.LOCK_EX)
        with self._lock:
            if self._is_wanted:
                self._has_it.set()
            else:
                self._is_over = True
                os.close(self.descriptor)


def ring(path: str) -> None:
    """Open the lock file and close it: the one event on it that needs no right to write.

    Workers listen for it, since the log is written well before the commit can be seen.
    """
    with suppress(OSError):
        os.close(os.open(path, os.O_RDONLY | os.O_CLOEXEC))


def _open(path: str) -> int:
    # Read-only is enough for flock, so the lock file of another user of the database will do.
    try:
        return os.open(path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StoreRefused(f"can't open the lock file {path}: {error.strerror}") from error


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
