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


class BadSetting(LeaseholdError):
    """A variable of the environment can't be used; its value is not told, it may be a secret."""

    def __init__(self, variable: str, reason: str) -> None:
        super().__init__(f"{variable} can't be used: {reason}")
        self.variable = variable
        self.reason = reason
