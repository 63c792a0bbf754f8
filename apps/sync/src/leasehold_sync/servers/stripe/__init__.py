"""Stripe's lists, newest first, with the rules of its cursors."""

from leasehold_sync.servers.stripe.server import StripeServer

__all__ = ["StripeServer"]
