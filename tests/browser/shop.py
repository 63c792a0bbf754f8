"""The tasks of a shop, for pages to look at."""

from __future__ import annotations

import time
from typing import Any

import leasehold as lh

SUPPLIER = lh.Throttle("supplier", running=2, rate=5)


@lh.task(name="shop.send_invoice", queue="mail", max_attempts=4, retry=lh.fixed("5m"))
def send_invoice(invoice_id: int, to: str) -> str:
    if invoice_id % 7 == 0:
        raise ConnectionError(f"mail.example.org: connection reset while sending {invoice_id}")
    return f"sent to {to}"


@lh.task(name="shop.charge_card", queue="payments", max_attempts=1)
def charge_card(order_id: int, cents: int) -> None:
    if order_id % 3 == 0:
        raise PermissionError(f"card declined for order {order_id}: do not honour")


@lh.task(name="shop.resize_image", queue="media")
def resize_image(path: str, width: int) -> dict[str, int]:
    return {"width": width, "height": width * 2 // 3}


@lh.task(name="shop.sync_stock", queue="sync", throttle=SUPPLIER.by("supplier"))
def sync_stock(supplier: str) -> int:
    return len(supplier)


@lh.task(name="shop.import_catalogue", queue="imports", timeout="2h")
def import_catalogue(supplier: str, pages: int) -> int:
    """Save how far it is, and go on until it is told to stop."""
    job = lh.current_job()
    page = 0
    while True:
        job.check()
        page = min(page + 3, pages * 2 // 3)
        job.checkpoint({"page": page, "etag": "W/5d8c72a5"})
        job.progress(page, pages, note=f"page {page} of {supplier}")
        time.sleep(0.25)


@lh.task(name="shop.extract")
def extract(source: str) -> int:
    if source == "returns":
        raise ValueError("returns.csv: line 1,204 has 11 columns instead of 12")
    return 1_000


@lh.task(name="shop.transform", queue="imports")
def transform(source: str) -> int:
    return 1_000


@lh.task(name="shop.load", queue="imports")
def load(table: str) -> int:
    return 1_000


@lh.task(name="shop.report")
def report(day: str) -> str:
    return f"report of {day}"


@lh.task(name="shop.legacy_export", queue="exports")
def legacy_export(year: int) -> None:
    """No worker here knows it."""


TASKS: list[lh.Task[..., Any]] = [
    send_invoice,
    charge_card,
    resize_image,
    sync_stock,
    import_catalogue,
    extract,
    transform,
    load,
    report,
]
