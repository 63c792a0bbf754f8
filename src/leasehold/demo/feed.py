"""Enqueues sample jobs at a gentle rate."""

from __future__ import annotations

import itertools
import logging
import random
import threading
from typing import TYPE_CHECKING

import leasehold as lh
from leasehold.demo import tasks
from leasehold.errors import LeaseholdError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from leasehold.client import Client

    Act = Callable[[], object]

_PAUSE_SECONDS = 0.6
_NAMES = ("Ada", "Grace", "Edsger", "Barbara", "Donald", "Frances", "Tony", "Radia")
_AMOUNTS = (480, 20, 75, 130, 39, 250, 12, 99)  # the bank declines the first
_PICTURES = 12
_logger = logging.getLogger("leasehold.demo")


def sample_acts(client: Client) -> list[Act]:
    """What is enqueued, round after round."""
    name = itertools.cycle(_NAMES)
    amount = itertools.cycle(_AMOUNTS)
    site = itertools.cycle(("example.org", "example.com", "example.org"))

    enqueue = client.enqueue
    return [
        lambda: enqueue(tasks.greet, next(name)),
        lambda: enqueue(tasks.render_report, random.randint(10, 40)),
        lambda: enqueue(tasks.send_mail, f"{next(name).lower()}@example.org"),
        lambda: enqueue(tasks.fetch, next(site), "/feed"),
        lambda: enqueue(tasks.remind.with_options(delay="8s"), f"call {next(name)}"),
        lambda: enqueue(tasks.hash_password, 200_000),
        lambda: enqueue(tasks.greet.with_options(priority=5), f"{next(name)} (in a hurry)"),
        lambda: enqueue(tasks.charge_card, next(amount)),
        lambda: enqueue(tasks.fetch, next(site), "/"),
        lambda: make_album(client, next(name)),
        lambda: start_order(client, random.randint(1, 99)),
    ]


def make_album(client: Client, owner: str) -> None:
    """Make a batch."""
    with client.batches.create(name=f"album of {owner}", on_end=tasks.publish) as album:
        album.add_many(tasks.resize.call(picture) for picture in range(_PICTURES))


def start_order(client: Client, number: int) -> None:
    """Start a workflow: two things at once, then a third."""
    flow = lh.Workflow("order")
    stock = flow.add(tasks.fetch.call("stock.example.org", f"/{number}"), name="reserve")
    invoice = flow.add(tasks.render_report.call(8), name="invoice")
    flow.add(tasks.greet.call(f"customer {number}"), name="thank", after=[stock, invoice])
    client.start(flow)


class Feed:
    """A thread that enqueues one job of each sort at once, then one after the other."""

    def __init__(self, client: Client) -> None:
        self._acts = sample_acts(client)
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="demo-feed", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ending.set()
        self._thread.join(1.0)

    def _serve(self) -> None:
        for act in itertools.chain(self._acts, self._rounds()):
            try:
                act()
            except LeaseholdError as error:  # the database may come back
                _logger.warning("enqueue failed", extra={"error": str(error)})

    def _rounds(self) -> Iterator[Act]:
        for act in itertools.cycle(self._acts):
            if self._ending.wait(random.uniform(0.5, 1.5) * _PAUSE_SECONDS):
                return
            yield act
