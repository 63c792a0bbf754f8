"""Looks at jobs that wait for others, and at those that wait for what this ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leasehold.model.needs import Released
    from leasehold.store.base import Store

SWEEP_LIMIT = 1_000


def sweep_dependents(store: Store, limit: int = SWEEP_LIMIT) -> bool:
    """Let go, or end, what nobody has looked at; says whether any was let go."""
    return follow(store, store.sweep_dependents(limit=limit))


def follow(store: Store, released: Released) -> bool:
    """Go on with those that wait for what was ended in vain; says whether any was let go."""
    has_let_go = bool(released.let_go)
    while released.cancelled:
        released = store.release_dependents(released.cancelled)
        has_let_go = has_let_go or bool(released.let_go)
    return has_let_go
