"""Enqueueing and saving on a connection that belongs to the caller, inside its transaction.

A connection is recognised by its class. No driver is imported for that: whoever has a connection
of it has imported it.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from leasehold.errors import BadOption
from leasehold.model.values import NewJob
from leasehold.store import read_backend
from leasehold.store.async_callers import (
    AiosqliteCaller,
    AsyncCaller,
    AsyncEngineCaller,
    AsyncpgCaller,
    AsyncPsycopgCaller,
    make_connection_caller,
    make_session_caller,
)
from leasehold.store.base import Answers, arrivals_of, keys_of, made_of
from leasehold.store.scripts import NamingKeys, naming_lease
from leasehold.store.sync_callers import (
    Caller,
    DjangoCaller,
    EngineCaller,
    PsycopgCaller,
    SessionCaller,
    SqlAlchemyCaller,
    SqliteCaller,
)

if TYPE_CHECKING:
    from leasehold.model.ids import WorkerId
    from leasehold.model.saving import Save
    from leasehold.store.base import Store

Write: TypeAlias = Callable[[Sequence[NewJob]], Answers]
AsyncWrite: TypeAlias = Callable[[Sequence[NewJob]], Awaitable[Answers]]

_SYNC: dict[tuple[str, str], Callable[[Any], Caller]] = {
    ("psycopg", "Connection"): PsycopgCaller,
    ("sqlalchemy", "Connection"): SqlAlchemyCaller,
    ("sqlalchemy", "Engine"): EngineCaller,
    ("sqlalchemy.orm", "Session"): SessionCaller,
    ("sqlalchemy.orm", "scoped_session"): lambda scoped: SessionCaller(scoped()),
    ("django.db.backends.base.base", "BaseDatabaseWrapper"): DjangoCaller,
    ("django.utils.connection", "ConnectionProxy"): DjangoCaller,
    ("sqlite3", "Connection"): SqliteCaller,
}
_ASYNC: dict[tuple[str, str], Callable[[Any], AsyncCaller]] = {
    ("psycopg", "AsyncConnection"): AsyncPsycopgCaller,
    ("sqlalchemy.ext.asyncio", "AsyncConnection"): make_connection_caller,
    ("sqlalchemy.ext.asyncio", "AsyncSession"): make_session_caller,
    ("sqlalchemy.ext.asyncio", "async_scoped_session"): lambda scoped: make_session_caller(
        scoped()
    ),
    ("sqlalchemy.ext.asyncio", "AsyncEngine"): AsyncEngineCaller,
    ("asyncpg", "Connection"): AsyncpgCaller,
    ("asyncpg.pool", "PoolConnectionProxy"): AsyncpgCaller,
    ("aiosqlite", "Connection"): AiosqliteCaller,
}
_SYNC_KINDS = "psycopg.Connection, SQLAlchemy Connection, Session or Engine, Django, sqlite3"
_ASYNC_KINDS = (
    "psycopg.AsyncConnection, SQLAlchemy AsyncConnection, AsyncSession or AsyncEngine, "
    "asyncpg, aiosqlite"
)


def bind_caller(store: Store, connection: object) -> Write:
    """Return what writes jobs on that connection; nothing is committed that is not the engine's."""
    caller = _find_caller(store, connection, "enqueue", "AsyncClient.on")

    def write(jobs: Sequence[NewJob]) -> Answers:
        with NamingKeys(keys_of(jobs)):
            answers = caller.run(store.enqueue_script(jobs))
        caller.after_commit(_waking(store, made_of(jobs, answers)))
        return answers

    return write


def bind_async_caller(store: Store, connection: object) -> AsyncWrite:
    """Return what does the same, awaited."""
    caller = _find_async_caller(store, connection, "enqueue", "Client.on")

    async def write(jobs: Sequence[NewJob]) -> Answers:
        with NamingKeys(keys_of(jobs)):
            answers = await caller.run(store.enqueue_script(jobs))
        caller.after_commit(_waking(store, made_of(jobs, answers)))
        return answers

    return write


def save_on(
    store: Store, connection: object, worker: WorkerId, save: Save, *, lease_seconds: float
) -> None:
    """Save on that connection, with its commit; `LeaseLost` when the lease does not stand."""
    caller = _find_caller(store, connection, "save", "checkpoint_async")
    with naming_lease(save.job_id):
        caller.run(store.save_script(worker, [save], lease_seconds=lease_seconds))


async def save_on_async(
    store: Store, connection: object, worker: WorkerId, save: Save, *, lease_seconds: float
) -> None:
    """Do the same, awaited."""
    caller = _find_async_caller(store, connection, "save", "checkpoint")
    with naming_lease(save.job_id):
        await caller.run(store.save_script(worker, [save], lease_seconds=lease_seconds))


def _find_caller(store: Store, connection: object, verb: str, other: str) -> Caller:
    make = _recognise(connection, _SYNC)
    if make is None:
        is_async = _recognise(connection, _ASYNC) is not None
        raise _refuse(connection, verb, other if is_async else None, _SYNC_KINDS)
    caller: Caller = make(connection)
    _check_backend(store, caller.backend)
    return caller


def _find_async_caller(store: Store, connection: object, verb: str, other: str) -> AsyncCaller:
    make = _recognise(connection, _ASYNC)
    if make is None:
        is_sync = _recognise(connection, _SYNC) is not None
        raise _refuse(connection, verb, other if is_sync else None, _ASYNC_KINDS)
    caller: AsyncCaller = make(connection)
    _check_backend(store, caller.backend)
    return caller


def _waking(store: Store, jobs: Sequence[NewJob]) -> Callable[[], None]:
    return partial(store.notify, arrivals_of(jobs))


def _recognise(connection: object, kinds: dict[tuple[str, str], Any]) -> Any:
    for (module, name), make in kinds.items():
        kind = getattr(sys.modules.get(module), name, None)
        if kind is not None and isinstance(connection, kind):
            return make
    return None


def _refuse(connection: object, verb: str, other: str | None, kinds: str) -> BadOption:
    named = f"{type(connection).__module__}.{type(connection).__qualname__}"
    if other is not None:
        return BadOption(f"{named}: for this kind of connection use {other}")
    return BadOption(f"can't {verb} on a {named}; use one of: {kinds}")


def _check_backend(store: Store, backend: str) -> None:
    wanted = read_backend(store.url)
    if backend != wanted:
        raise BadOption(
            f"the connection leads to {backend} and the queue is on {wanted}: "
            "one transaction can't span both"
        )
