"""Keeps interruptions out of code that holds locks.

A blocking handler is stopped by an exception that strikes its thread between any two steps. Between
getting a lock and noting that it was got, that would leave the lock taken for ever. So whoever
interrupts threads sets a shield for them, and the stores raise it around their own work.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar

_shield: ContextVar[AbstractContextManager[None]] = ContextVar("leasehold_shield")
_NO_SHIELD = nullcontext()


def shielded() -> AbstractContextManager[None]:
    """No interruption inside this `with`; one that came meanwhile strikes at its end."""
    return _shield.get(_NO_SHIELD)


def set_shield(shield: AbstractContextManager[None]) -> None:
    """Say how this thread is shielded; a shield may be entered again inside itself."""
    _shield.set(shield)
