"""What the guestbook does in the background."""

from __future__ import annotations

import leasehold as lh


@lh.task(name="guestbook.sign", queue="guestbook")
def sign(name: str) -> str:
    """Write a guest into the book: the result is the entry."""
    return f"{name.strip()} was here"


@lh.task(name="guestbook.thank", queue="guestbook")
def thank() -> str:
    """Thank all guests, every night."""
    return "Thank you all"


nightly = lh.schedule("guestbook-thanks", "0 3 * * *", thank)
