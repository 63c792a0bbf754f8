"""What Stripe's objects look like, as far as anybody who reads lists can tell."""

from __future__ import annotations

from typing import Any

from leasehold_sync.servers import names
from leasehold_sync.servers.rows import Ids, Kind, Row

CUSTOMER_IDS = Ids(before="cus_")
SUBSCRIPTION_IDS = Ids(before="sub_1")
INVOICE_IDS = Ids(before="in_1")
PRODUCT_IDS = Ids(before="prod_")
PRICE_IDS = Ids(before="price_1")
CHARGE_IDS = Ids(before="ch_3")
EVENT_IDS = Ids(before="evt_1")
SHOWN_LINES = 10  # of an invoice, inside of it
_MONTH_SECONDS = 30 * 86_400
_CURRENCIES = ("eur", "gbp", "jpy", "usd")


def amount_of(number: int) -> int:
    return 500 + number * 37 % 50_000


def currency_of(number: int) -> str:
    return _CURRENCIES[number % 4]


def _customer(row: Row) -> dict[str, Any]:
    number = row.number
    return {
        "id": row.id,
        "created": row.created,
        "email": names.address(number),
        "name": names.person(number),
        "balance": -amount_of(number) if number % 50 == 0 else 0,
        "currency": currency_of(number),
        "invoice_prefix": f"{number:08X}",
        "metadata": {"firm": names.firm(number)},
        "next_invoice_sequence": 1 + number % 24,
    }


_CUSTOMER: dict[str, Any] = {
    "object": "customer",
    "address": None,
    "default_source": None,
    "delinquent": False,
    "description": None,
    "discount": None,
    "invoice_settings": {
        "custom_fields": None,
        "default_payment_method": None,
        "footer": None,
        "rendering_options": None,
    },
    "livemode": False,
    "phone": None,
    "preferred_locales": [],
    "shipping": None,
    "tax_exempt": "none",
    "test_clock": None,
}


def _price_of(number: int, created: int) -> dict[str, Any]:
    return {
        "id": PRICE_IDS.text(number),
        "object": "price",
        "active": True,
        "billing_scheme": "per_unit",
        "created": created,
        "currency": currency_of(number),
        "livemode": False,
        "lookup_key": None,
        "metadata": {},
        "nickname": None,
        "product": PRODUCT_IDS.text(number),
        "recurring": {
            "interval": "month",
            "interval_count": 1,
            "meter": None,
            "trial_period_days": None,
            "usage_type": "licensed",
        },
        "tax_behavior": "unspecified",
        "type": "recurring",
        "unit_amount": amount_of(number),
        "unit_amount_decimal": str(amount_of(number)),
    }


def status_of(number: int) -> str:
    """Return what a subscription came to: one in five has ended."""
    return "canceled" if number % 5 == 0 else "active"


def _subscription(row: Row) -> dict[str, Any]:
    status = status_of(row.number)
    ended = row.created + _MONTH_SECONDS if status == "canceled" else None
    item = {
        "id": f"si_{row.id[5:]}",
        "object": "subscription_item",
        "created": row.created,
        "current_period_start": row.created,
        "current_period_end": row.created + _MONTH_SECONDS,
        "metadata": {},
        "price": _price_of(1 + row.number % 10, row.created),
        "quantity": 1,
        "subscription": row.id,
    }
    url = f"/v1/subscription_items?subscription={row.id}"
    return {
        "id": row.id,
        "created": row.created,
        "billing_cycle_anchor": row.created,
        "canceled_at": ended,
        "currency": currency_of(row.number),
        "customer": CUSTOMER_IDS.text(row.number),
        "ended_at": ended,
        "items": {
            "object": "list",
            "data": [item],
            "has_more": False,
            "total_count": 1,
            "url": url,
        },
        "start_date": row.created,
        "status": status,
    }


_SUBSCRIPTION: dict[str, Any] = {
    "object": "subscription",
    "application": None,
    "cancel_at": None,
    "cancel_at_period_end": False,
    "collection_method": "charge_automatically",
    "default_payment_method": None,
    "description": None,
    "discounts": [],
    "latest_invoice": None,
    "livemode": False,
    "metadata": {},
    "trial_end": None,
    "trial_start": None,
}


def line_count_of(number: int) -> int:
    """Return how many lines an invoice has: every tenth has more than it shows."""
    return 25 if number % 10 == 0 else 2


def line_of(number: int, position: int, created: int) -> dict[str, Any]:
    """Return a line of an invoice; the first one is at position 1."""
    return {
        "id": f"il_{INVOICE_IDS.text(number)[4:]}{position:04d}",
        "object": "line_item",
        "amount": amount_of(number + position),
        "currency": currency_of(number),
        "description": f"{names.firm(position)}, one month",
        "discountable": True,
        "invoice": INVOICE_IDS.text(number),
        "livemode": False,
        "metadata": {},
        "period": {"start": created, "end": created + _MONTH_SECONDS},
        "quantity": 1,
    }


def lines_url(identifier: str) -> str:
    return f"/v1/invoices/{identifier}/lines"


def _invoice(row: Row) -> dict[str, Any]:
    count = line_count_of(row.number)
    shown = [line_of(row.number, n, row.created) for n in range(1, min(count, SHOWN_LINES) + 1)]
    total = sum(amount_of(row.number + position) for position in range(1, count + 1))
    return {
        "id": row.id,
        "created": row.created,
        "amount_due": total,
        "amount_paid": total,
        "currency": currency_of(row.number),
        "customer": CUSTOMER_IDS.text(row.number),
        "customer_email": names.address(row.number),
        "lines": {
            "object": "list",
            "data": shown,
            "has_more": count > SHOWN_LINES,
            "total_count": count,
            "url": lines_url(row.id),
        },
        "number": f"{row.number:08X}-0001",
        "period_end": row.created,
        "period_start": row.created - _MONTH_SECONDS,
        "total": total,
    }


_INVOICE = {
    "object": "invoice",
    "amount_remaining": 0,
    "attempt_count": 1,
    "attempted": True,
    "billing_reason": "subscription_cycle",
    "collection_method": "charge_automatically",
    "description": None,
    "discounts": [],
    "livemode": False,
    "metadata": {},
    "status": "paid",
}


def _product(row: Row) -> dict[str, Any]:
    return {
        "id": row.id,
        "created": row.created,
        "name": f"{names.firm(row.number)} plan {row.number}",
        "updated": row.updated,
    }


_PRODUCT = {
    "object": "product",
    "active": True,
    "default_price": None,
    "description": None,
    "images": [],
    "livemode": False,
    "marketing_features": [],
    "metadata": {},
    "shippable": None,
    "type": "service",
    "url": None,
}


def _price(row: Row) -> dict[str, Any]:
    return _price_of(row.number, row.created)


def _charge(row: Row) -> dict[str, Any]:
    amount = amount_of(row.number)
    return {
        "id": row.id,
        "created": row.created,
        "amount": amount,
        "amount_captured": amount,
        "currency": currency_of(row.number),
        "customer": CUSTOMER_IDS.text(row.number),
        "receipt_email": names.address(row.number),
    }


_CHARGE = {
    "object": "charge",
    "amount_refunded": 0,
    "captured": True,
    "description": None,
    "disputed": False,
    "livemode": False,
    "metadata": {},
    "paid": True,
    "refunded": False,
    "status": "succeeded",
}


def _event(row: Row) -> dict[str, Any]:
    return {"id": row.id, "created": row.created}


_EVENT = {
    "object": "event",
    "livemode": False,
    "pending_webhooks": 0,
    "request": {"id": None, "idempotency_key": None},
}

KINDS = (
    Kind(name="customers", ids=CUSTOMER_IDS, own=_customer, common=_CUSTOMER),
    Kind(name="subscriptions", ids=SUBSCRIPTION_IDS, own=_subscription, common=_SUBSCRIPTION),
    Kind(name="invoices", ids=INVOICE_IDS, own=_invoice, common=_INVOICE),
    Kind(name="products", ids=PRODUCT_IDS, own=_product, common=_PRODUCT),
    Kind(name="prices", ids=PRICE_IDS, own=_price),
    Kind(name="charges", ids=CHARGE_IDS, own=_charge, common=_CHARGE),
    Kind(name="events", ids=EVENT_IDS, own=_event, common=_EVENT),
)
