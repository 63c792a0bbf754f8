"""A Stripe that answers what a test says, in place of its customers."""

from __future__ import annotations

import json
from typing import Any

from leasehold.kit.servers.wire import Reply, Request
from leasehold_sync.servers.stripe import StripeServer

LIST = "/v1/customers"


def page(*rows: Any, has_more: bool = False, **headers: str) -> Reply:
    """Make a page of these rows, as JSON that Python writes (and others might not)."""
    body = json.dumps({"object": "list", "data": rows, "has_more": has_more, "url": LIST})
    return text(body, 200, **headers)


def text(body: str, status: int = 200, **headers: str) -> Reply:
    """Make an answer of a text; `retry_after="5"` is the header of that name."""
    named = {name.replace("_", "-").title(): value for name, value in headers.items()}
    return Reply(status=status, body=body.encode("utf-8", "surrogatepass"), headers=named)


class OddStripe(StripeServer):
    """Each request takes the next answer; after the last one it is an empty list."""

    def __init__(self, *replies: Reply) -> None:
        super().__init__()
        self.replies = list(replies)

    def answer(self, _request: Request) -> Reply:
        return self.replies.pop(0) if self.replies else page()
