"""Which jobs a page is about, as its address says it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leasehold.filtering import Filters, read_filter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from leasehold.web.dashboard.looks import Look

WORDS = ("state", "queue", "kind", "tenant", "batch", "key")


def filters_of(look: Look) -> Filters:
    """Read them from the address."""
    return _read({word: look.asked(word) for word in WORDS})


def filters_said(look: Look) -> Filters:
    """Read them from a form."""
    return _read({word: look.said(word) for word in WORDS})


def _read(given: Mapping[str, str]) -> Filters:
    said: Any = {word: value for word, value in given.items() if value}
    filters: Filters = said
    read_filter(filters)  # `BadOption` for what can't be asked
    return filters


def in_words(filters: Filters) -> str:
    """Say which jobs they name."""
    said = [f"{word} {value}" for word, value in filters.items() if word != "state"]
    state = f"{filters['state']} " if filters.get("state") else ""
    return f"{state}jobs" + (f" with {', '.join(said)}" if said else "")
