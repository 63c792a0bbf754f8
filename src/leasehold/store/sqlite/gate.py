"""The one way to write: a lock in the process, then a lock on the machine."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from leasehold.errors import StoreBusy
from leasehold.store.sqlite.flock import FileLock


class Gate:
    """Lets one writer through. May be released by another thread than the one that passed."""

    def __init__(self, lock_path: str, wait_seconds: float) -> None:
        self._lock = threading.Lock()
        self._file = FileLock(lock_path)
        self._wait_seconds = wait_seconds
        self._owner: int | None = None

    @contextmanager
    def hold(self) -> Iterator[None]:
        self.acquire(threading.get_ident())
        try:
            yield
        finally:
            self.release()

    def acquire(self, owner: int) -> None:
        """Pass, or `StoreBusy`. `owner` is the thread that would only wait for itself."""
        deadline = time.monotonic() + self._wait_seconds
        self.acquire_process(self._wait_seconds)
        try:
            if not self._file.acquire(max(0.0, deadline - time.monotonic())):
                raise StoreBusy(
                    f"another process has been writing for {self._wait_seconds:g} s: "
                    "is one stopped, or is a transaction open there?"
                )
            self._owner = owner
        except BaseException:
            self._lock.release()
            raise

    def release(self) -> None:
        self._owner = None
        self._file.release()
        self._lock.release()

    def acquire_process(self, wait_seconds: float) -> None:
        """Keep this process's other writers out, and no one else's."""
        if self._owner == threading.get_ident():
            raise StoreBusy(
                "this thread has a job.transaction() open, which holds SQLite's only write lock; "
                "enqueue with client.on(connection) inside it, or do this after it"
            )
        if not self._lock.acquire(timeout=wait_seconds):
            raise StoreBusy(
                f"another thread has been writing for {wait_seconds:g} s: is a job.transaction() "
                "open there? Keep it short"
            )

    def release_process(self) -> None:
        self._lock.release()

    def forget(self) -> None:
        """In a forked child: begin anew, whatever the parent's threads held."""
        self._lock = threading.Lock()
        self._owner = None
        self._file.forget()

    def close(self) -> None:
        self._file.close()
