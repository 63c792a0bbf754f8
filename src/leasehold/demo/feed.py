"""Enqueues sample jobs at a gentle rate."""

from __future__ import annotations

import itertools
import logging
import random
import threading
from typing import TYPE_CHECKING

from leasehold.demo import tasks
from leasehold.errors import LeaseholdError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from leasehold.client import Client
    from leasehold.task import Call

_PAUSE_SECONDS = 0.6
_NAMES = ("Ada", "Grace", "Edsger", "Barbara", "Donald", "Frances", "Tony", "Radia")
_logger = logging.getLogger("leasehold.demo")


def sample_calls() -> list[Callable[[], Call]]:
    """What is enqueued, round after round."""
    name = itertools.cycle(_NAMES)
    return [
        lambda: tasks.greet.call(next(name)),
        lambda: tasks.render_report.call(random.randint(10, 40)),
        lambda: tasks.send_mail.call(f"{next(name).lower()}@example.org"),
        lambda: tasks.fetch.call("https://example.org/feed"),
        lambda: tasks.remind.with_options(delay="8s").call(f"call {next(name)}"),
        lambda: tasks.hash_password.call(200_000),
        lambda: tasks.greet.with_options(priority=5).call(f"{next(name)} (in a hurry)"),
        lambda: tasks.charge_card.call(random.randint(5, 500)),
    ]


class Feed:
    """A thread that enqueues one job of each sort at once, then one after the other."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._calls = sample_calls()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="demo-feed", daemon=True)

    def start(self) -> None:
        self._client.enqueue_many(make() for make in self._calls)
        self._thread.start()

    def stop(self) -> None:
        self._ending.set()
        self._thread.join(1.0)

    def _serve(self) -> None:
        for make in self._rounds():
            try:
                self._client.enqueue_many([make()])
            except LeaseholdError as error:  # the database may come back
                _logger.warning("enqueue failed", extra={"error": str(error)})

    def _rounds(self) -> Iterator[Callable[[], Call]]:
        for make in itertools.cycle(self._calls):
            if self._ending.wait(random.uniform(0.5, 1.5) * _PAUSE_SECONDS):
                return
            yield make
