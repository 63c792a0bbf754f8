"""Writes jobs to a store. An answer that is lost is asked for again: their ids make it harmless."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from leasehold.errors import IdConflict, StoreUnavailable
from leasehold.store.sealing import seal_as_before
from leasehold.tracing import is_traced, producing, producing_begun

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from leasehold.model.values import NewJob
    from leasehold.store.base import Answers, Store


class Writer:
    """For one client, with its store and, if it has one, its tenant."""

    def __init__(self, store: Callable[[], Store], tenant: Callable[[], str | None]) -> None:
        self._store = store
        self._tenant = tenant

    def write(self, jobs: Sequence[NewJob]) -> Answers:
        """Write jobs that are built already; tells of those that were not simply written."""
        if is_traced():
            with producing(jobs) as carried:
                return self._write(carried)
        return self._write(jobs)

    def begin(self, jobs: Sequence[NewJob]) -> Callable[[], Answers]:
        """Do the same in two steps: what is returned waits for the answer."""
        return producing_begun(self._begin, jobs) if is_traced() else self._begin(jobs)

    def _write(self, jobs: Sequence[NewJob]) -> Answers:
        store = self._store()
        try:
            return store.enqueue(jobs)
        except StoreUnavailable:
            return store.enqueue(jobs)  # it may be written, and only the answer lost
        except IdConflict:
            again = seal_as_before(store, jobs, self._tenant())
            if again is None:
                raise
            return store.enqueue(again)  # the keys may be others since; what it says is the same

    def _begin(self, jobs: Sequence[NewJob]) -> Callable[[], Answers]:
        try:
            finish = self._store().begin_enqueue(jobs)
        except (StoreUnavailable, IdConflict):
            return partial(self._write, jobs)

        def answer() -> Answers:
            try:
                return finish()
            except (StoreUnavailable, IdConflict):
                return self._write(jobs)

        return answer
