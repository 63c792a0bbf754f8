"""What can go wrong in any application, beside its own errors."""

from __future__ import annotations

from leasehold.errors import LeaseholdError


class DatabaseFailed(LeaseholdError):
    """The database refused something, or could not be reached; what it was about is left out."""

    def __init__(self, kind: str, sqlstate: str | None) -> None:
        super().__init__(f"the database answered {kind}{f' ({sqlstate})' if sqlstate else ''}")
        self.kind = kind
        self.sqlstate = sqlstate


class NotServed(LeaseholdError):
    """An application can't be served; the message says what to run."""
