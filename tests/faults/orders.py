"""What a campaign asks for, made from its seed; and a producer that asks for it under fire."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

import leasehold as lh
from leasehold.model.ids import uuid7
from tests.faults import tasks
from tests.faults.history import Expected

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.task import Call, Task

CHUNK = 50
_PAUSE_SECONDS = 0.1
_SHARE_LUCKY = 0.85
_SHARE_DEAF = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One job to enqueue, under an id of its own so that it may be asked for again."""

    id: UUID
    call: Call
    expected: Expected


def make_orders(
    count: int, chance: random.Random, *, most_inside_ms: int, most_delay_seconds: float
) -> list[Order]:
    return [make_order(chance, most_inside_ms, most_delay_seconds) for _ in range(count)]


def make_order(chance: random.Random, most_inside_ms: int, most_delay_seconds: float) -> Order:
    """Draw a job: which handler, how long it takes, how often it fails, when it is due."""
    job_id = uuid7(time.time_ns() // 1_000_000, chance.randbytes(10))
    kind = chance.choices(
        (tasks.pay, tasks.pay_async, tasks.plain, tasks.plain_async, tasks.nap), (40, 25, 10, 20, 5)
    )[0]
    options: dict[str, Any] = {"id": job_id}
    if chance.random() < 0.05:
        options["delay"] = chance.uniform(0.1, most_delay_seconds)
    args: dict[str, int] = {"pause_ms": chance.randint(3, 60)}
    if kind is not tasks.nap:
        args["failures"] = 0 if chance.random() < _SHARE_LUCKY else chance.randint(1, 2)
        args["is_deaf"] = chance.random() < _SHARE_DEAF
    if kind in {tasks.pay, tasks.pay_async}:
        args["inside_ms"] = chance.randint(0, most_inside_ms)
    if chance.random() < 0.02 and "failures" in args:
        args["failures"] = options["max_attempts"] = 2  # all its attempts: it ends dead
    handler: Task[..., Any] = kind
    return Order(
        id=job_id,
        call=handler.with_options(**options).call(**args),
        expected=Expected(kind=kind.name, has_effect=kind not in {tasks.plain, tasks.plain_async}),
    )


class Producer:
    """Enqueues while workers and databases fall, and asks again until it got an answer."""

    def __init__(self, client: lh.Client, orders: Sequence[Order]) -> None:
        self._client = client
        self._orders = orders
        self._is_stopped = threading.Event()
        self._thread = threading.Thread(target=self._produce, name="producer", daemon=True)
        self.acknowledged = 0
        self.repeats = 0

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._is_stopped.set()
        self._thread.join(30)

    @property
    def is_done(self) -> bool:
        return self.acknowledged == len(self._orders)

    def _produce(self) -> None:
        for start in range(0, len(self._orders), CHUNK):
            chunk = self._orders[start : start + CHUNK]
            while not self._ask(chunk):
                self.repeats += 1
            self.acknowledged += len(chunk)
            if self._is_stopped.wait(_PAUSE_SECONDS):
                return

    def _ask(self, chunk: Sequence[Order]) -> bool:
        try:
            self._client.enqueue_many([order.call for order in chunk])
        except lh.StoreError:
            return self._is_stopped.wait(_PAUSE_SECONDS)
        return True
