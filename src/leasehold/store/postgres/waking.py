"""Wake-ups by LISTEN and NOTIFY. Polling works alone; these only make it prompt."""

from __future__ import annotations

import logging
import os
import random
import select
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING

import psycopg

from leasehold.errors import StoreError
from leasehold.store.base import ANY_QUEUE, Wake

if TYPE_CHECKING:
    from collections.abc import Mapping

    from leasehold.store.postgres.connection import Connection, Lender, Own

CHANNEL = "leasehold"
_TRUST_SECONDS = 1.0
_TURNS = 1_000
_PAUSE_SECONDS = 0.004  # after one NOTIFY what follows goes out together
_PATIENCE_SECONDS = 0.001  # … with the next job's own packet, or else by the thread
LOOKS_SECONDS = 0.015  # so long at least a worker looks for the job that it was woken for
_logger = logging.getLogger("leasehold.store")


class PostgresWaker:
    """Waits on a claimer's own connection. LISTEN is trusted once a NOTIFY to itself came back."""

    def __init__(self, own: Own, queues: frozenset[str]) -> None:
        self._own = own
        self._queues = queues | {ANY_QUEUE}
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)
        os.set_blocking(self._write, False)
        self._generation = 0
        self._arrivals: dict[str, int] = {}
        self._turn = 0
        self.is_polling_only = False

    def wait(self, timeout_seconds: float) -> Wake | None:
        was_listening_to = self._generation
        try:
            connection = self._listening()
        except (StoreError, psycopg.Error):
            connection = None
        if connection is not None and self._generation != was_listening_to:
            return Wake()  # what came before we listened woke nobody: look once more
        if connection is not None:
            self._read_notices(connection)  # one may have come with a statement's answer
        return self._take_wake() or self._sleep(connection, timeout_seconds)

    def poke(self) -> None:
        try:
            os.write(self._write, b"!")
        except (BlockingIOError, OSError):
            return  # it is full of pokes, or closed: nothing to wake

    def close(self) -> None:
        # A poke that comes later must not be written to whatever has got the same number by then.
        descriptors, self._read, self._write = (self._read, self._write), -1, -1
        for descriptor in descriptors:
            try:
                os.close(descriptor)
            except OSError:
                continue

    def _listening(self) -> Connection | None:
        connection = self._own.open()
        if self._generation != self._own.generation:
            self._generation = self._own.generation
            self.is_polling_only = not self._listen(connection)
            if self.is_polling_only:
                _logger.warning(
                    "polling only",
                    extra={"reason": "NOTIFY does not come through, as behind a pooler"},
                )
        return None if self.is_polling_only else connection

    def _listen(self, connection: Connection) -> bool:
        if connection.prepare_threshold is None:  # behind a pooler
            return False
        token = f"?{os.urandom(8).hex()}"
        heard = threading.Event()

        def on_notify(notify: psycopg.Notify) -> None:
            if notify.payload == token:
                heard.set()
            else:
                self._note(notify.payload)

        connection.add_notify_handler(on_notify)
        connection.execute(f"LISTEN {CHANNEL}", prepare=False)
        deadline = time.monotonic() + _TRUST_SECONDS
        connection.execute("SELECT pg_notify(%s, %s)", (CHANNEL, token), prepare=False)
        while not heard.is_set() and time.monotonic() < deadline:
            connection.execute("SELECT", prepare=False)
        return heard.is_set()

    def _sleep(self, connection: Connection | None, timeout_seconds: float) -> Wake | None:
        poller = select.poll()
        poller.register(self._read, select.POLLIN)
        if connection is not None:
            poller.register(connection.fileno(), select.POLLIN)
        deadline = time.monotonic() + timeout_seconds
        while (left := deadline - time.monotonic()) > 0:
            ready = {descriptor for descriptor, _ in poller.poll(left * 1000)}
            if self._read in ready:
                self._drain_pokes()
                return Wake(is_poke=True)
            if ready and connection is not None and (wake := self._heard(connection)):
                return wake
        return None

    def _heard(self, connection: Connection) -> Wake | None:
        try:
            connection.pgconn.consume_input()
        except psycopg.OperationalError:
            connection.close()  # the database went away: the next claim finds out and waits
            return Wake()
        self._read_notices(connection)
        return self._take_wake()

    def _read_notices(self, connection: Connection) -> None:
        while notify := connection.pgconn.notifies():
            self._note(notify.extra.decode())

    def _note(self, payload: str) -> None:
        count, turn, queue = (*payload.split(":", 2), "", "")[:3]
        if queue in self._queues and count.isdecimal() and turn.isdecimal():
            self._arrivals[queue] = self._arrivals.get(queue, 0) + int(count)
            self._turn = int(turn)

    def _take_wake(self) -> Wake | None:
        arrivals, self._arrivals = self._arrivals, {}
        return Wake(arrivals, self._turn) if arrivals else None

    def _drain_pokes(self) -> None:
        try:
            while os.read(self._read, 4096):
                pass
        except BlockingIOError:
            return


class Notifier:
    """Sends NOTIFY as a transaction of its own: ahead of a job when it is quiet, else coalesced.

    A worker wakes up while the job that it is woken for is on its way to the disk. What was
    coalesced goes out with the next job of its queue that comes when the pause is over. A thread
    sends what no such job takes along; it costs a caller who enqueues one by one some 3 %.
    Inside the enqueue's own transaction it would halve the commits of 16 clients (measured).
    """

    def __init__(self, pool: Lender) -> None:
        self._pool = pool
        self._waiting: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._wanted = threading.Event()
        self._idle = threading.Event()
        self._idle.set()
        self._quiet_at = 0.0
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self._pid = os.getpid()

    @property
    def is_quiet(self) -> bool:
        """Whether the pause after what was last sent is over."""
        return time.monotonic() >= self._quiet_at

    def take_turn(self, queue: str) -> str | None:
        """Return the payload for a job that comes, and those before it, if it may be sent now."""
        with self._lock:
            others = self._waiting.keys() - {queue}
            if others or not self.is_quiet:  # what waits for other queues is the thread's
                return None
            self._begin_pause()
            count = self._waiting.pop(queue, 0) + 1
        return _payload(count, random.randrange(_TURNS), queue)

    def notify(self, arrivals: Mapping[str, int]) -> None:
        with self._lock:
            for queue, count in arrivals.items():
                self._waiting[queue] += count
            if not self._wanted.is_set():
                self._idle.clear()
                self._wanted.set()
            if self._thread is None or self._pid != os.getpid():
                self._start()

    def close(self, timeout_seconds: float) -> None:
        """Wait until what was asked for has gone out, and end the thread."""
        if self._thread is not None and self._pid == os.getpid():
            self._idle.wait(timeout_seconds)
            self._is_closed = True
            self._wanted.set()
            self._thread.join(timeout_seconds)

    def _start(self) -> None:
        self._pid = os.getpid()
        self._thread = threading.Thread(
            target=self._send_forever, name="leasehold-notify", daemon=True
        )
        self._thread.start()

    def _send_forever(self) -> None:
        while self._wanted.wait() and not self._is_closed:
            while (left := self._quiet_at + _PATIENCE_SECONDS - time.monotonic()) > 0:
                time.sleep(left)
            if payloads := self._take():
                self._send(payloads)
            with self._lock:
                if not self._waiting:
                    self._idle.set()

    def _take(self) -> list[str]:
        with self._lock:
            arrivals, self._waiting = self._waiting, Counter()
            self._wanted.clear()
            if arrivals:
                self._begin_pause()
            turn = random.randrange(_TURNS)
            return [_payload(count, turn, queue) for queue, count in arrivals.items()]

    def _begin_pause(self) -> None:
        self._quiet_at = time.monotonic() + _PAUSE_SECONDS

    def _send(self, payloads: list[str]) -> None:
        try:
            with self._pool.connection() as connection:
                connection.execute(
                    "SELECT pg_notify(%s, payload) FROM unnest(%s::text[]) AS payload",
                    (CHANNEL, payloads),
                )
        except (StoreError, psycopg.Error) as error:
            _logger.debug("notify failed", extra={"error": str(error)})  # polling finds the jobs


def _payload(count: int, turn: int, queue: str) -> str:
    return f"{count}:{turn}:{queue}"
