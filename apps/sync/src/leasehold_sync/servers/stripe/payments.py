"""What money leaves behind at Stripe: intents, refunds, disputes, payouts, and coupons."""

from __future__ import annotations

from typing import Any

from leasehold_sync.servers.rows import Ids, Kind, Row
from leasehold_sync.servers.stripe.objects import (
    CHARGE_IDS,
    CUSTOMER_IDS,
    amount_of,
    currency_of,
)

_DAY = 86_400
INTENT_IDS = Ids(before="pi_3")


def _money(row: Row) -> dict[str, Any]:
    """Return what they all have."""
    return {
        "id": row.id,
        "created": row.created,
        "amount": amount_of(row.number),
        "currency": currency_of(row.number),
    }


def _intent(row: Row) -> dict[str, Any]:
    return _money(row) | {
        "amount_received": amount_of(row.number),
        "customer": CUSTOMER_IDS.text(row.number),
        "latest_charge": CHARGE_IDS.text(row.number),
    }


_INTENT: dict[str, Any] = {
    "object": "payment_intent",
    "amount_capturable": 0,
    "capture_method": "automatic",
    "confirmation_method": "automatic",
    "description": None,
    "livemode": False,
    "metadata": {},
    "payment_method_types": ["card"],
    "status": "succeeded",
}


def _of_charge(row: Row) -> dict[str, Any]:
    return _money(row) | {
        "charge": CHARGE_IDS.text(row.number),
        "payment_intent": INTENT_IDS.text(row.number),
    }


_REFUND: dict[str, Any] = {
    "object": "refund",
    "metadata": {},
    "reason": "requested_by_customer",
    "status": "succeeded",
}
_DISPUTE: dict[str, Any] = {
    "object": "dispute",
    "balance_transactions": [],
    "is_charge_refundable": False,
    "livemode": False,
    "metadata": {},
    "reason": "general",
    "status": "needs_response",
}


def _payout(row: Row) -> dict[str, Any]:
    return _money(row) | {"arrival_date": row.created + 2 * _DAY}


_PAYOUT: dict[str, Any] = {
    "object": "payout",
    "automatic": True,
    "description": "STRIPE PAYOUT",
    "livemode": False,
    "metadata": {},
    "method": "standard",
    "status": "paid",
    "type": "bank_account",
}


def _transaction(row: Row) -> dict[str, Any]:
    fee = amount_of(row.number) // 40
    return _money(row) | {
        "available_on": row.created + 2 * _DAY,
        "fee": fee,
        "net": amount_of(row.number) - fee,
        "source": CHARGE_IDS.text(row.number),
    }


_TRANSACTION: dict[str, Any] = {
    "object": "balance_transaction",
    "description": None,
    "exchange_rate": None,
    "fee_details": [],
    "reporting_category": "charge",
    "status": "available",
    "type": "charge",
}


def _coupon(row: Row) -> dict[str, Any]:
    return {
        "id": row.id,
        "created": row.created,
        "name": f"{5 + row.number % 40} % off",
        "percent_off": 5.0 + row.number % 40,
    }


_COUPON: dict[str, Any] = {
    "object": "coupon",
    "amount_off": None,
    "currency": None,
    "duration": "once",
    "duration_in_months": None,
    "livemode": False,
    "max_redemptions": None,
    "metadata": {},
    "redeem_by": None,
    "times_redeemed": 0,
    "valid": True,
}

KINDS = (
    Kind(name="payment_intents", ids=INTENT_IDS, own=_intent, common=_INTENT),
    Kind(name="refunds", ids=Ids(before="re_3"), own=_of_charge, common=_REFUND),
    Kind(name="disputes", ids=Ids(before="du_1"), own=_of_charge, common=_DISPUTE),
    Kind(name="payouts", ids=Ids(before="po_1"), own=_payout, common=_PAYOUT),
    Kind(
        name="balance_transactions",
        ids=Ids(before="txn_3"),
        own=_transaction,
        common=_TRANSACTION,
    ),
    Kind(name="coupons", ids=Ids(before="SAVE"), own=_coupon, common=_COUPON),
)
