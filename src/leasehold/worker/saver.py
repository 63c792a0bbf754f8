"""Saves what running jobs say: many at once, in one statement, from a thread of its own."""

from __future__ import annotations

import logging
import random
import threading
import time
from collections import deque
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from leasehold.errors import LeaseGone, LeaseLost, StoreBusy, StoreUnavailable
from leasehold.model.saving import merge
from leasehold.store.shield import shielded

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from leasehold.model.ids import WorkerId
    from leasehold.model.saving import Save
    from leasehold.store.base import Store
    from leasehold.worker.attempt import Attempt

BATCH = 500
NOTE_SECONDS = 0.25  # between two writes of progress
_BUSY_SECONDS = 5.0  # … when an open transaction has one of its rows
_LOOK_SECONDS = 0.05
_LONGEST_PAUSE_SECONDS = 2.0
_logger = logging.getLogger("leasehold.worker")


class _Piece(NamedTuple):
    """What one attempt saves; `answer` is None for progress, which nobody waits for."""

    attempt: Attempt
    save: Save
    answer: Future[None] | None


class Saver:
    """Who waits for an answer is written at once, with all that came meanwhile.

    Progress is kept, the latest of each attempt, and written a few times a second, and always
    before the attempt is settled. The thread starts at first use.
    """

    def __init__(self, store: Store, worker: WorkerId) -> None:
        self._store = store
        self._worker = worker
        self._asked: deque[_Piece] = deque()
        self._notes: dict[Attempt, Save] = {}
        self._notes_due = 0.0
        self._lock = threading.Lock()  # of the notes, and of the thread's start
        self._writing = threading.Lock()  # from taking pieces until they are answered or put back
        self._wanted = threading.Event()
        self._urgent = threading.Event()
        self._is_stopping = False
        self._thread: threading.Thread | None = None

    # -- for handlers ----------------------------------------------------------------------------
    def save(self, attempt: Attempt, save: Save) -> None:
        """Return when it is durable; `LeaseLost` when the lease does not stand any more.

        It waits while the database can't be reached, as long as the lease lasts.
        """
        answer = self.begin(attempt, save)
        while True:
            with shielded():  # in short slices: an interruption strikes between two of them
                try:
                    return answer.result(_LOOK_SECONDS)
                except TimeoutError:
                    if answer.done():
                        raise
            _refuse_if_gone(attempt)

    def begin(self, attempt: Attempt, save: Save) -> Future[None]:
        """Begin to do the same; what is returned has the answer one day."""
        _refuse_if_gone(attempt)
        if self._is_stopping:
            raise LeaseLost(attempt.claim.job_id)
        answer: Future[None] = Future()
        with shielded():
            self._asked.append(_Piece(attempt, save, answer))
            self._urgent.set()
            self._wake()
        return answer

    def note(self, attempt: Attempt, save: Save) -> None:
        """Keep it to be written soon. Returns at once."""
        if attempt.is_over:
            return
        attempt.has_progress = True
        with shielded():
            self._keep_note(attempt, save)
            self._wake()

    def take(self, attempt: Attempt) -> Save | None:
        """Hand back what was noted and is not written, for a transaction of the job's own."""
        if not attempt.has_progress:
            return None
        with shielded(), self._writing:
            return self._pop_note(attempt)

    # -- for the worker --------------------------------------------------------------------------
    def flush(self, attempts: Iterable[Attempt]) -> None:
        """Write the progress of attempts that are to be settled now."""
        said = [attempt for attempt in attempts if attempt.has_progress]
        if not said:
            return
        with self._writing:  # so that none of it is on its way and comes too late
            found = [(attempt, self._pop_note(attempt)) for attempt in said]
            batch = [_Piece(attempt, save, None) for attempt, save in found if save is not None]
            try:
                self._write(batch)
            except StoreUnavailable:
                self._put_back(batch)
                raise

    def stop(self, timeout_seconds: float) -> None:
        """End the thread, when all attempts are settled. Safe when it never started."""
        self._is_stopping = True
        self._urgent.set()
        self._wanted.set()
        if self._thread is not None:
            self._thread.join(timeout_seconds)
        for piece in self._asked:
            _answer(piece, LeaseLost(piece.attempt.claim.job_id))

    # -- inside ----------------------------------------------------------------------------------
    def _wake(self) -> None:
        self._wanted.set()
        if self._thread is not None:
            return
        with self._lock:
            if self._thread is None:
                thread = threading.Thread(target=self._serve, name="leasehold-save", daemon=True)
                thread.start()
                self._thread = thread

    def _serve(self) -> None:
        pause = 0.0
        while not self._is_stopping:
            self._await_work()
            try:
                self._save_some()
                pause = 0.0
            except StoreUnavailable as error:
                pause = min(_LONGEST_PAUSE_SECONDS, pause * 2 or 0.05)
                _logger.warning("saving postponed", extra={"error": str(error)})
                time.sleep(random.uniform(0, pause))
            except Exception:  # a service loop: it must go on
                _logger.exception("saving failed")

    def _await_work(self) -> None:
        self._wanted.wait()
        left = self._notes_due - time.monotonic()
        if not self._asked and left > 0:
            self._urgent.wait(left)
        self._wanted.clear()
        self._urgent.clear()

    def _save_some(self) -> None:
        with self._writing:
            batch = self._take_some()
            try:
                if batch:
                    self._write(batch)
            except StoreUnavailable:
                self._put_back(batch)
                raise
            finally:
                if self._asked or self._notes:
                    self._wanted.set()

    def _take_some(self) -> list[_Piece]:
        batch = [self._asked.popleft() for _ in range(min(BATCH, len(self._asked)))]
        now = time.monotonic()
        if self._notes and now >= self._notes_due:
            self._notes_due = now + NOTE_SECONDS
            with self._lock:
                noted, self._notes = self._notes, {}
            batch += [_Piece(attempt, save, None) for attempt, save in noted.items()]
        return batch

    def _write(self, batch: Sequence[_Piece]) -> None:
        """Write them together; when one of them spoils that, each by itself."""
        if not batch:
            return
        try:
            stands = self._store.save(self._worker, [piece.save for piece in batch])
        except StoreUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - whatever one is, the others' must go on
            if len(batch) == 1:
                self._refuse(batch[0], error)
                return
            for piece in batch:
                self._write([piece])
            return
        for piece, stood in zip(batch, stands, strict=True):
            _answer(piece, None if stood else LeaseLost(piece.attempt.claim.job_id))

    def _refuse(self, piece: _Piece, error: Exception) -> None:
        if piece.answer is not None:
            _answer(piece, error)
            return
        extra = {"job": str(piece.save.job_id), "error": str(error)}
        _logger.warning("progress not saved", extra=extra)
        if isinstance(error, StoreBusy) and not piece.attempt.is_over:
            self._put_back([piece])
            self._notes_due = time.monotonic() + _BUSY_SECONDS

    def _put_back(self, batch: Sequence[_Piece]) -> None:
        for piece in reversed(batch):
            if piece.answer is None:
                self._keep_note(piece.attempt, piece.save, is_older=True)
            elif not piece.answer.done():
                self._asked.appendleft(piece)

    def _keep_note(self, attempt: Attempt, save: Save, *, is_older: bool = False) -> None:
        with self._lock:
            known = self._notes.get(attempt)
            if known is not None:
                save = merge(save, known) if is_older else merge(known, save)
            self._notes[attempt] = save

    def _pop_note(self, attempt: Attempt) -> Save | None:
        with self._lock:
            return self._notes.pop(attempt, None)


def _refuse_if_gone(attempt: Attempt) -> None:
    """Raise for an attempt that can't be saved for any more; one that is to stop still can."""
    if attempt.is_settled:
        raise LeaseLost(attempt.claim.job_id, "it has ended in a transaction")
    if attempt.is_over or attempt.interruption is LeaseGone:
        raise LeaseLost(attempt.claim.job_id)


def _answer(piece: _Piece, error: Exception | None) -> None:
    if piece.answer is None:
        return
    with suppress(InvalidStateError):  # who waited was cancelled
        if error is None:
            piece.answer.set_result(None)
        else:
            piece.answer.set_exception(error)
