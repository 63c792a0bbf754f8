"""What Stripe has, and how each of its lists wants to be asked for."""

from __future__ import annotations

from dataclasses import dataclass

from leasehold_sync.model.pages import Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """One of Stripe's lists: its path is its name."""

    name: str
    #: What its objects call themselves.
    object: str
    query: tuple[tuple[str, str], ...] = ()
    #: Fields with a list of their own, which may go on elsewhere: (field, collection).
    nested: tuple[tuple[str, str], ...] = ()
    #: Events that carry such an object. None: changes can't be told.
    events: tuple[str, ...] = ()
    #: The event after which the object is no more. (A subscription that is "deleted" has ended.)
    gone: str = ""

    @property
    def resource(self) -> Resource:
        return Resource(name=self.name, children=tuple(name for _, name in self.nested))


def _events(prefix: str, *ends: str) -> tuple[str, ...]:
    return tuple(f"{prefix}.{end}" for end in ends)


LISTINGS = (
    Listing(
        name="customers",
        object="customer",
        events=_events("customer", "created", "updated", "deleted"),
        gone="customer.deleted",
    ),
    Listing(
        name="products",
        object="product",
        events=_events("product", "created", "updated", "deleted"),
        gone="product.deleted",
    ),
    Listing(
        name="prices",
        object="price",
        events=_events("price", "created", "updated", "deleted"),
        gone="price.deleted",
    ),
    Listing(
        name="coupons",
        object="coupon",
        events=_events("coupon", "created", "updated", "deleted"),
        gone="coupon.deleted",
    ),
    Listing(
        name="subscriptions",
        object="subscription",
        query=(("status", "all"),),  # without it those that have ended are left out
        nested=(("items", "subscription_items"),),
        events=_events(
            "customer.subscription",
            "created",
            "updated",
            "deleted",
            "paused",
            "resumed",
            "trial_will_end",
            "pending_update_applied",
            "pending_update_expired",
        ),
    ),
    Listing(
        name="invoices",
        object="invoice",
        nested=(("lines", "invoice_lines"),),
        events=_events(
            "invoice",
            "created",
            "updated",
            "deleted",
            "finalized",
            "finalization_failed",
            "paid",
            "payment_failed",
            "payment_succeeded",
            "payment_action_required",
            "marked_uncollectible",
            "overdue",
            "sent",
            "voided",
        ),
        gone="invoice.deleted",
    ),
    Listing(
        name="charges",
        object="charge",
        events=_events(
            "charge", "captured", "expired", "failed", "pending", "refunded", "succeeded", "updated"
        ),
    ),
    Listing(
        name="payment_intents",
        object="payment_intent",
        events=_events(
            "payment_intent",
            "amount_capturable_updated",
            "canceled",
            "created",
            "partially_funded",
            "payment_failed",
            "processing",
            "requires_action",
            "succeeded",
        ),
    ),
    Listing(
        name="refunds",
        object="refund",
        events=_events("refund", "created", "updated", "failed"),
    ),
    Listing(
        name="disputes",
        object="dispute",
        events=_events(
            "charge.dispute",
            "created",
            "updated",
            "closed",
            "funds_reinstated",
            "funds_withdrawn",
        ),
    ),
    Listing(
        name="payouts",
        object="payout",
        events=_events(
            "payout", "created", "updated", "paid", "failed", "canceled", "reconciliation_completed"
        ),
    ),
    Listing(name="balance_transactions", object="balance_transaction"),
)
