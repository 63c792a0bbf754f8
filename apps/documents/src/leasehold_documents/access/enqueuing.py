"""Jobs written in a bound transaction: into the queue's tables, which members can't see."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar
from uuid import UUID

from sqlalchemy import Connection

from leasehold_documents.data.binding import as_login

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    import leasehold as lh

P = ParamSpec("P")
R = TypeVar("R")


class BoundEnqueuer:
    """Enqueues in a transaction; while it does, that is the login's, not the role's."""

    def __init__(self, client: lh.Client, session: Session | Connection, role: str) -> None:
        self._client = client
        self._session = session
        self._role = role

    def enqueue(self, task: lh.Task[P, R], /, *args: P.args, **kwargs: P.kwargs) -> lh.Enqueued[R]:
        """Enqueue one job; it is there when the session commits."""
        with self._as_login():
            return self._client.on(self._session).enqueue(task, *args, **kwargs)

    def enqueue_many(self, calls: Iterable[lh.Call], *, ids: Iterable[UUID] | None = None) -> int:
        """Enqueue many `task.call(…)`s; returns how many are new."""
        with self._as_login():
            return self._client.on(self._session).enqueue_many(calls, ids=ids)

    def enqueue_all(self, calls: Iterable[lh.Call]) -> list[lh.Enqueued[Any]]:
        """Do the same; answers for each call."""
        with self._as_login():
            return self._client.on(self._session).enqueue_all(calls)

    def add_all(self, batch: lh.Batch, calls: Iterable[lh.Call]) -> int:
        """Add many as members of a batch."""
        with self._as_login():
            return batch.on(self._session).add_many(calls)

    def _as_login(self) -> AbstractContextManager[None]:
        bound = self._session
        return as_login(bound if isinstance(bound, Connection) else bound.connection(), self._role)
