"""Isolated tasks: their processes, and the bounds of these."""

from __future__ import annotations

from leasehold.errors.root import LeaseholdError
from leasehold.errors.values import BadOption


class NoSandbox(BadOption):
    """A task asks for bounds that this machine can't give; its jobs wait for one that can."""


class ChildDied(LeaseholdError):
    """The process of an isolated task ended before it had answered."""


class LimitExceeded(LeaseholdError):
    """An isolated task used more than its limits allow; the message says of what."""


class MemoryLimit(LimitExceeded):
    """It wanted more memory."""


class CpuLimit(LimitExceeded):
    """It used up its CPU time."""


class FileSizeLimit(LimitExceeded):
    """It wrote a file that is too large."""
