"""Fills a store with a day in the life of a shop: something to see on every page."""

from __future__ import annotations

import math
import random
import sqlite3
import time
from typing import TYPE_CHECKING

import leasehold as lh
from leasehold import testing
from leasehold.model.statistics import Counted, bucket_of
from tests.browser import shop

if TYPE_CHECKING:
    from leasehold.client import Client

_HOUR_SECONDS = 3_600
_STEP_SECONDS = 10
_RATES = {  # kind: queue, a second, seconds each, share that fails
    "shop.resize_image": ("media", 9.0, 0.35, 0.004),
    "shop.send_invoice": ("mail", 4.0, 0.12, 0.02),
    "shop.sync_stock": ("sync", 2.0, 0.8, 0.0),
    "shop.charge_card": ("payments", 1.2, 0.25, 0.01),
    "shop.transform": ("imports", 0.5, 2.2, 0.0),
}


def furnish(client: Client, *, amount: int = 14) -> None:
    """Make jobs in every state, batches, a workflow, schedules, pauses and failures."""
    chance = random.Random(7)
    _set_rules(client)
    _work_in_the_past(client, chance, amount)
    _make_batches(client, amount)
    _leave_waiting(client, chance)


def _set_rules(client: Client) -> None:
    schedules = client.schedules
    schedules.set("nightly-report", "0 3 * * *", shop.report.call("today"), zone="Europe/Berlin")
    schedules.set("stock", "*/15 * * * *", shop.sync_stock.call("acme"))
    schedules.set("tidy-up", "@daily", shop.report.call("tidy"))
    schedules.pause("tidy-up", by="mia")
    client.throttles.set("supplier", running=2, rate=5, by="mia")
    client.throttles.pause("supplier:globex", until="30m", reason="429 Too Many Requests")
    client.queues.pause("exports", reason="warehouse is being moved", by="mia")


def _work_in_the_past(client: Client, chance: random.Random, amount: int) -> None:
    store = client.store
    now = store.skew_seconds
    for back in (5_000, 2_400, 900, 240, 45):
        store.skew_seconds = now - back
        calls = []
        for _ in range(amount):
            number = chance.randint(1_000, 9_999)
            calls += [
                shop.send_invoice.call(number, to=f"customer{number}@example.org"),
                shop.charge_card.call(number, cents=chance.randint(500, 90_000)),
                shop.resize_image.call(f"products/{number}.jpg", width=chance.choice((320, 1280))),
            ]
        client.enqueue_many(calls)
        testing.drain(client, shop.TASKS)
    store.skew_seconds = now


def _make_batches(client: Client, amount: int) -> None:
    with client.batches.create(name="thumbnails", meta={"album": "autumn", "by": "mia"}) as batch:
        batch.add_many(
            shop.resize_image.call(f"autumn/{i}.jpg", width=640) for i in range(3 * amount)
        )
    testing.drain(client, [shop.resize_image], most=10_000)
    flow = lh.Workflow("warehouse")
    once = shop.extract.with_options(max_attempts=1)
    extracts = {
        source: flow.add(once.call(source), name=f"extract {source}")
        for source in ("orders", "customers", "returns")
    }
    steps = {
        source: flow.add(shop.transform.call(source), name=f"transform {source}", after=[step])
        for source, step in extracts.items()
    }
    loads = flow.add(
        shop.load.call("facts"), name="load", after=[steps["orders"], steps["customers"]]
    )
    flow.add(shop.report.call("today"), name="report", after=[loads])
    flow.add(
        shop.report.call("tidy"), name="tidy", after=[loads, steps["returns"]], even_if_failed=True
    )
    client.start(flow, created_by="mia")
    testing.drain(client, [shop.extract])
    with client.batches.create(name="newsletter", meta={"campaign": "black friday"}) as batch:
        batch.add_many(
            shop.send_invoice.with_options(delay="2h" if i > 10 * amount else None).call(
                i * 7 + 1, to=f"reader{i}@example.org"
            )
            for i in range(15 * amount)
        )
    testing.drain(client, [shop.send_invoice])


def _leave_waiting(client: Client, chance: random.Random) -> None:
    client.enqueue_many(
        shop.sync_stock.call(supplier) for supplier in ["acme"] * 6 + ["globex"] * 9 + ["initech"]
    )
    client.enqueue_many(shop.legacy_export.call(year) for year in range(2015, 2022))
    client.enqueue(shop.report.with_options(delay="6h", priority=5), "tomorrow")
    key = lh.by("order_id")
    keyed = shop.charge_card.with_options(
        delay="20m", key=key, tenant="acme", created_by="checkout"
    )
    client.enqueue(keyed, order_id=4_711, cents=12_900)
    client.enqueue_many(
        shop.import_catalogue.call(supplier, pages=240) for supplier in ("acme", "initech")
    )


def write_history(client: Client, path: str) -> None:
    """Write an hour of figures into an SQLite file, as a fleet would have counted them."""
    store, chance = client.store, random.Random(3)
    base = store.skew_seconds
    for back in range(_HOUR_SECONDS, 0, -_STEP_SECONDS):
        store.skew_seconds = base - back
        wave = 1 + 0.45 * math.sin(back / 500) + chance.uniform(-0.12, 0.12)
        rough = 4.0 if 1_500 < back < 1_900 else 1.0  # the mail server was down for a while
        store.add_statistics(
            [each for kind in _RATES for each in _counted(kind, wave, rough, chance)]
        )
    store.skew_seconds = base
    _write_depths(path)


def _counted(kind: str, wave: float, rough: float, chance: random.Random) -> list[Counted]:
    queue, rate, seconds, failing = _RATES[kind]
    done = max(1, round(rate * _STEP_SECONDS * wave))
    took = seconds * wave * chance.uniform(0.8, 1.3)
    failed = sum(chance.random() < failing * rough for _ in range(done))
    slow = done // 8
    counted = [
        Counted(queue=queue, kind=kind, fact="succeeded", count=done),
        _ran(queue, kind, took, done - slow),
        _ran(queue, kind, took * 3, slow),
    ]
    if kind == "shop.charge_card" and chance.random() < 0.02:
        counted.append(Counted(queue=queue, kind=kind, fact="dead", count=1))
    if failed:
        counted.append(Counted(queue=queue, kind=kind, fact="failed", count=failed))
    return counted


def _ran(queue: str, kind: str, seconds: float, count: int) -> Counted:
    bucket, total = bucket_of(seconds), seconds * count
    return Counted(queue=queue, kind=kind, fact="ran", bucket=bucket, count=count, seconds=total)


def _write_depths(path: str) -> None:
    chance, now = random.Random(5), int(time.time())
    rows = []
    for back in range(_HOUR_SECONDS, 20, -_STEP_SECONDS):
        wave = 1 + 0.6 * math.sin(back / 420)
        burst = 160 * math.exp(-(((back - 1_600) / 260) ** 2))
        waiting = round(60 * wave + burst + chance.uniform(-8, 8))
        rows.append(
            ((now - back) // 10 * 10 * 1_000_000, "media", max(0, waiting), round(14 + 5 * wave))
        )
    with sqlite3.connect(path) as connection:
        for row in rows:
            connection.execute(
                "INSERT OR REPLACE INTO leasehold_depth"
                " (span, at, queue, ready, blocked, scheduled, failed, running, parked)"
                " VALUES (10, ?, ?, ?, 0, 0, 0, ?, 0)",
                row,
            )
    connection.close()
