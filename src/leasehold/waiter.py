"""Looks for the ends of jobs: all waits of a client are one look at the store, now and then.

A wait that is young is looked at often, an old one once a second. The moments are those of a grid
that halves, so that waits which began apart soon fall due together: a thousand of them cost as many
statements as one.
"""

from __future__ import annotations

import logging
import math
import os
import random
import threading
import time
from concurrent.futures import Future
from typing import TYPE_CHECKING

from leasehold.errors import EncryptionError, LeaseholdError, StoreBusy, StoreUnavailable
from leasehold.revealing import open_ended
from leasehold.store.shield import shielded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    from leasehold.model.ids import JobId
    from leasehold.model.results import Ended
    from leasehold.sealing.keyring import Keyring
    from leasehold.store.base import Store

    End: TypeAlias = "Future[Ended | None]"

SHORTEST_SECONDS = 1 / 128
LONGEST_SECONDS = 1.0
REST_SHARE = 4  # a look is followed by four times its cost of rest at least
_LONGEST_PAUSE_SECONDS = 2.0
_CLOSE_SECONDS = 5.0
_logger = logging.getLogger("leasehold.client")


class _Wait:
    """One job that is waited for, perhaps by several, and when to look at it next."""

    __slots__ = ("ends", "look_at", "since")

    def __init__(self, now: float) -> None:
        self.ends: list[End] = []
        self.since = now
        self.look_at = now


class Waiter:
    """Looks for the ends of jobs, for all who wait on one client, in a thread while there are any.

    Safe in threads. After a fork the child's waits begin anew.
    """

    def __init__(self, store: Callable[[], Store]) -> None:
        self._store = store
        self._phase = random.random()  # many processes must not all look at the same moment
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._pid = os.getpid()
        self._changed = threading.Condition()
        self._waits: dict[JobId, _Wait] = {}
        self._thread: threading.Thread | None = None
        self._rests_until = 0.0
        self._pause = 0.0
        self.trouble: LeaseholdError | None = None  # why the last look failed

    def end_of(self, job_id: JobId) -> End:
        """Return what will hold the job's end; None in it is no such job. Cancel it to give up."""
        if self._pid != os.getpid():
            self._begin_anew()
        end: End = Future()
        with shielded(), self._changed:
            wait = self._waits.get(job_id)
            if wait is None:
                wait = self._waits[job_id] = _Wait(time.monotonic())
            wait.ends.append(end)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._serve, name="leasehold-wait", daemon=True
                )
                self._thread.start()
            self._changed.notify_all()
        end.add_done_callback(lambda done: self._forget(job_id, done))
        return end

    @property
    def is_waiting(self) -> bool:
        """Whether anybody waits: whoever ends jobs need not tell us otherwise."""
        return bool(self._waits)

    def hint(self, job_ids: Iterable[JobId]) -> None:
        """These jobs may have ended just now, in this process: look at once."""
        with self._changed:
            awaited = [self._waits[job_id] for job_id in job_ids if job_id in self._waits]
            for wait in awaited:
                wait.look_at = 0.0
            if awaited:
                self._changed.notify_all()

    def close(self) -> None:
        """End all waits with an error, and the thread. Later waits begin anew."""
        if self._pid != os.getpid():
            return
        with self._changed:
            waits, self._waits = self._waits, {}
            thread = self._thread
            self._changed.notify_all()
        for wait in waits.values():
            _settle(wait.ends, error=LeaseholdError("the client was closed while this waited"))
        if thread is not None and thread is not threading.current_thread():
            thread.join(_CLOSE_SECONDS)

    def _forget(self, job_id: JobId, end: End) -> None:
        """Let go of a wait that was given up."""
        if not end.cancelled():
            return
        with shielded(), self._changed:
            wait = self._waits.get(job_id)
            if wait is not None and end in wait.ends:
                wait.ends.remove(end)
                if not wait.ends:
                    del self._waits[job_id]
                    self._changed.notify_all()

    # -- the thread ------------------------------------------------------------------------------
    def _serve(self) -> None:
        while (due := self._next_due()) is not None:
            started = time.monotonic()
            try:
                self._look(due)
            except (StoreUnavailable, StoreBusy) as error:
                self._postpone(due, error)
            except Exception as error:  # a service loop: those who wait are told
                _logger.exception("wait failed")
                self._take(due, error)
            now = time.monotonic()
            self._rests_until = now + REST_SHARE * (now - started)

    def _next_due(self) -> list[JobId] | None:
        """Wait until some jobs are to be looked at; None when nobody waits any more."""
        with self._changed:
            while self._waits:
                now = time.monotonic()
                due = [job_id for job_id, wait in self._waits.items() if wait.look_at <= now]
                if due and now >= self._rests_until:
                    return due
                first = min(wait.look_at for wait in self._waits.values())
                self._changed.wait(max(first, self._rests_until) - now)
            self._thread = None
            return None

    def _look(self, due: list[JobId]) -> None:
        store = self._store()
        found = store.ended(due)
        self.trouble, self._pause = None, 0.0
        now = time.monotonic()
        with self._changed:
            for job_id in due:
                if job_id in self._waits and job_id not in found:
                    wait = self._waits[job_id]
                    wait.look_at = next_look(wait.since, now, self._phase)
            over = {job_id: self._waits.pop(job_id) for job_id in found if job_id in self._waits}
        for job_id, wait in over.items():
            _tell(wait.ends, found[job_id], store.keyring)

    def _postpone(self, due: list[JobId], error: LeaseholdError) -> None:
        """Ask again after a random pause: the database may be starting."""
        _logger.warning("wait postponed", extra={"error": str(error), "count": len(due)})
        self.trouble = error
        self._pause = min(_LONGEST_PAUSE_SECONDS, max(0.05, self._pause * 2))
        look_at = time.monotonic() + random.uniform(0, self._pause)
        with self._changed:
            for job_id in due:
                if job_id in self._waits:
                    self._waits[job_id].look_at = look_at

    def _take(self, due: list[JobId], error: Exception) -> None:
        with self._changed:
            waits = [self._waits.pop(job_id) for job_id in due if job_id in self._waits]
        for wait in waits:
            _settle(wait.ends, error=error)


def next_look(since: float, now: float, phase: float) -> float:
    """Return the next moment of the grid whose step is at most half of the wait's age."""
    age = max(SHORTEST_SECONDS, (now - since) / 2)
    step = min(LONGEST_SECONDS, 2.0 ** math.floor(math.log2(age)))
    return (math.floor((now - phase) / step) + 1) * step + phase


def _tell(ends: list[End], end: Ended | None, keyring: Keyring | None) -> None:
    """Tell those who wait; what is encrypted and can't be read here is an error of theirs."""
    try:
        opened = None if end is None else open_ended(end, keyring)
    except EncryptionError as error:
        _settle(ends, error=error)
    else:
        _settle(ends, opened)


def _settle(ends: list[End], end: Ended | None = None, *, error: Exception | None = None) -> None:
    for each in ends:
        if not each.set_running_or_notify_cancel():
            continue  # given up
        if error is None:
            each.set_result(end)
        else:
            each.set_exception(error)
