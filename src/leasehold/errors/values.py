"""Values that a caller, or a handler, can't pass in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.errors.root import LeaseholdError

if TYPE_CHECKING:
    from collections.abc import Iterable


class BadValue(LeaseholdError, ValueError):
    """A value that a caller passed in can't be used; the message says which and why."""


class BadArguments(BadValue):
    """A job's arguments do not fit its handler, or can't be stored as JSON."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(f"arguments of {kind!r}: {reason}")
        self.kind = kind
        self.reason = reason


class BadResult(BadValue):
    """A handler, or a step of one, returned a value that can't be stored as JSON."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(f"result of {kind!r}: {reason}")
        self.kind = kind
        self.reason = reason


class BadCheckpoint(BadValue):
    """A job's cursor can't be stored as JSON, or can't be read as the type asked for."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(f"checkpoint of {kind!r}: {reason}")
        self.kind = kind
        self.reason = reason


class BadOption(BadValue):
    """An option, a duration, a name or a URL can't be used."""


class BadKeyring(BadValue):
    """The keys that encrypt can't be read, or not be changed so. It never repeats a key."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"keyring: {reason}")
        self.reason = reason


class BadWorkflow(BadValue):
    """The steps of a workflow do not fit together, or their tasks are not known."""

    def __init__(self, name: str, faults: Iterable[str]) -> None:
        self.name = name
        self.faults = tuple(faults)
        super().__init__(f"workflow {name!r}: {'; '.join(self.faults)}")
