"""Connections of the store's own: a bounded pool, or one that a thread keeps for itself."""

from __future__ import annotations

import os
import select
import sys
import time
from queue import Empty, SimpleQueue
from typing import Any, Protocol

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.errors import FeatureNotSupported

from leasehold.errors import StoreBusy
from leasehold.model.values import Connections
from leasehold.store.postgres.errors import translate, translating
from leasehold.store.shield import shielded

Connection = psycopg.Connection[tuple[Any, ...]]
AsyncConnection = psycopg.AsyncConnection[tuple[Any, ...]]

POOL_SIZE = 10
POOL_WAIT_SECONDS = 30.0
FRESH_SECONDS = 0.05  # used so lately that a look whether the other end is there is not worth it

# A connection whose other end has vanished is noticed within 15 s.
_DEFAULTS: dict[str, Any] = {
    "application_name": "leasehold",
    "connect_timeout": 10,
    "keepalives_idle": 5,
    "keepalives_interval": 3,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}

# Our statements are all served by an index. A plan made while the tables were small must not turn
# into a scan of the whole table when they have grown (240 times slower, measured). A scan that is
# wanted all the same (of the few leases, of the live tables for their counts) then looks so dear to
# the planner that it would be compiled first, for longer than it runs: no JIT. Nor is it read by
# several processes at once: a look at the queue must not take the cores that the jobs need.
# A claim counts in a statement after its lock, which must see what the lock waited for.
# A worker's few statements are written so that any plan of theirs is a good one (see ARCHITECTURE,
# "Plans"), and are planned once: planning a claim or a finish each time costs a fifth of it.
_STEADY_PLANS = """
SELECT set_config('jit', 'off', false),
       set_config('enable_seqscan', 'off', false),
       set_config('enable_hashjoin', 'off', false),
       set_config('enable_mergejoin', 'off', false),
       set_config('max_parallel_workers_per_gather', '0', false),
       set_config('default_transaction_isolation', 'read committed', false)
"""


# … and a join that is not LATERAL is a hash join: finish's, with the leases that it looked up.
_ONE_PLAN = """
SELECT set_config('plan_cache_mode', 'force_generic_plan', false),
       set_config('enable_nestloop', 'off', false),
       set_config('enable_hashjoin', 'on', false)
"""


def conninfo(url: str) -> str:
    """Fill in what the URL does not say."""
    given = conninfo_to_dict(url)
    return make_conninfo(
        url, **{key: value for key, value in _DEFAULTS.items() if key not in given}
    )


def is_behind_pooler(reported_pid: int, real_pid: int) -> bool:
    """Tell a pooler by the process id it makes up; settings and LISTEN do not last behind one."""
    return reported_pid != real_pid


def connect(url: str, *, plans_once: bool = False) -> Connection:
    """Open a connection in autocommit mode, its plans steadied unless a pooler shares it."""
    connection: Connection = psycopg.connect(conninfo(url), autocommit=True, prepare_threshold=0)
    try:
        row = connection.execute("SELECT pg_backend_pid()", prepare=False).fetchone()
        if row is None or is_behind_pooler(connection.info.backend_pid, row[0]):
            connection.prepare_threshold = None
        else:
            connection.execute(_STEADY_PLANS, prepare=False)
            if plans_once:
                connection.execute(_ONE_PLAN, prepare=False)
    except BaseException:
        connection.close()
        raise
    return connection


async def connect_async(url: str) -> AsyncConnection:
    """Do the same for an async handler's transaction; plans are the caller's own business."""
    return await psycopg.AsyncConnection.connect(
        conninfo(url), autocommit=True, prepare_threshold=None
    )


class Source(Protocol):
    """Where a statement gets its connection from."""

    def take(self) -> Connection:
        """Lend a connection."""

    def give_back(self, connection: Connection) -> None: ...

    def close(self) -> None: ...


class Lender(Source, Protocol):
    """A source that many share."""

    def connection(self) -> Lent:
        """Lend a connection for the length of a `with`."""

    def count(self) -> Connections:
        """Count what is lent and what is idle."""


class Pool:
    """Opens connections when needed, up to a bound, and keeps them for the next caller."""

    def __init__(self, url: str, size: int = POOL_SIZE) -> None:
        self._url = url
        self._size = size
        self._is_closed = False
        self._renew_after_fork()

    def _renew_after_fork(self) -> None:
        # A child never touches its parent's connections, not even to close them.
        self._pid = os.getpid()
        self._idle: list[tuple[Connection, float]] = []  # with the moment it was last used
        # Tokens in a queue: a semaphore of the standard library costs ten times as much.
        self._room: SimpleQueue[None] = SimpleQueue()
        for _ in range(self._size):
            self._room.put(None)

    def connection(self) -> Lent:
        """Lend a connection for the length of a `with`."""
        return Lent(self)

    def take(self) -> Connection:
        if self._pid != os.getpid():
            self._renew_after_fork()
        try:
            self._room.get(timeout=POOL_WAIT_SECONDS)
        except Empty:
            raise StoreBusy(f"all {self._size} connections have been busy for a while") from None
        try:
            return self._idle_or_new()
        except BaseException:
            self._room.put(None)
            raise

    def _idle_or_new(self) -> Connection:
        while self._idle:
            connection, used_at = self._idle.pop()
            is_fresh = time.monotonic() - used_at < FRESH_SECONDS
            if not connection.closed and (is_fresh or not has_hung_up(connection)):
                return connection
            connection.close()
        with translating(self._url):
            return connect(self._url)

    def give_back(self, connection: Connection) -> None:
        if self._pid != os.getpid():
            return  # borrowed before a fork: the parent gives it back
        try:
            # An IDLE connection is an open one. A thread left behind may come after the close.
            is_fine = connection.pgconn.transaction_status == psycopg.pq.TransactionStatus.IDLE
            if is_fine and not self._is_closed:
                self._idle.append((connection, time.monotonic()))
            else:
                connection.close()
        finally:
            self._room.put(None)

    def count(self) -> Connections:
        """Count what is lent and what is idle; roughly, while others take and give back."""
        in_use = max(0, self._size - self._room.qsize())
        return Connections(in_use=in_use, idle=len(self._idle), limit=self._size)

    def close(self) -> None:
        """Close what is idle now, and what is lent when it comes back."""
        self._is_closed = True
        if self._pid == os.getpid():
            while self._idle:
                self._idle.pop()[0].close()


def has_hung_up(connection: Connection | AsyncConnection) -> bool:
    """Whether the other end is gone, as after a restart: a live idle connection says nothing."""
    poller = select.poll()
    poller.register(connection.fileno(), select.POLLIN)
    return bool(poller.poll(0))


class Own:
    """One connection for one thread, opened when first used and again when it was lost."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._pid = os.getpid()
        self._kept: Connection | None = None
        self.generation = 0  # grows with each new connection, so that a listener listens again

    def take(self) -> Connection:
        return self.open()

    def give_back(self, connection: Connection) -> None:
        """Nothing to do: it is kept."""

    def open(self) -> Connection:
        if self._kept is None or self._kept.closed or self._pid != os.getpid():
            with translating(self._url):
                self._kept = connect(self._url, plans_once=True)
            self._pid = os.getpid()
            self.generation += 1
        return self._kept

    def close(self) -> None:
        if self._kept is not None and self._pid == os.getpid():
            self._kept.close()
        self._kept = None


class Lent:
    """A connection for the length of a `with`.

    A class, as those below: a generator costs three times as much, for each statement there is.
    """

    __slots__ = ("_connection", "_source")

    def __init__(self, source: Source) -> None:
        self._source = source

    def __enter__(self) -> Connection:
        self._connection = self._source.take()
        return self._connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: object
    ) -> None:
        self._source.give_back(self._connection)


class Borrowed(Lent):
    """… for statements whose errors become leasehold's."""

    __slots__ = ()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: object
    ) -> None:
        if isinstance(error, FeatureNotSupported):
            self._connection.close()  # a prepared plan outlived a migration
        self._source.give_back(self._connection)
        if isinstance(error, psycopg.Error):
            raise translate(error) from error


class Shielded(Borrowed):
    """… and no interruption strikes while it is lent."""

    __slots__ = ("_shield",)

    def __enter__(self) -> Connection:
        self._shield = shielded()
        self._shield.__enter__()
        try:
            return super().__enter__()
        except BaseException:
            self._shield.__exit__(*sys.exc_info())
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: object
    ) -> None:
        try:
            super().__exit__(kind, error, trace)
        finally:
            self._shield.__exit__(None, None, None)
