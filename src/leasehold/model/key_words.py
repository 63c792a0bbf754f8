"""What can be said about a job's key, checked where it is said."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from leasehold.errors import BadOption
from leasehold.model.durations import seconds
from leasehold.model.keys import Mode, Unique
from leasehold.model.throttles import By, check_text

_SERIES = frozenset({Mode.REPLACE, Mode.DEBOUNCE})


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyWords:
    """The options about a key, after checking; without a key there are no others."""

    key: str | None = None
    key_by: tuple[str, ...] | None = None  # of these arguments
    on_duplicate: Mode = Mode.SKIP
    is_for_ever: bool = False
    period_seconds: float | None = None
    cooldown_seconds: float | None = None
    max_wait_seconds: float | None = None

    @property
    def is_given(self) -> bool:
        """Whether jobs have a key."""
        return self.key is not None or self.key_by is not None

    def unique(self, key: str, *, has_delay: bool, is_of_arguments: bool = False) -> Unique:
        """Say under a key what was said about it."""
        if self.on_duplicate is Mode.DEBOUNCE and not has_delay:
            raise BadOption("on_duplicate='debounce' needs a delay: how long to wait for the next")
        return Unique(
            key=key,
            mode=self.on_duplicate.value,
            ever=self.is_for_ever,
            period_seconds=self.period_seconds,
            cooldown_seconds=self.cooldown_seconds,
            max_wait_seconds=self.max_wait_seconds,
            is_of_arguments=is_of_arguments,
        )

    def check_times(self, delay_seconds: float | None, *, has_run_at: bool) -> None:
        """Refuse a job's time that does not fit these words."""
        if self.on_duplicate is Mode.DEBOUNCE and has_run_at:
            raise BadOption("on_duplicate='debounce' counts from now: give delay, not run_at")
        longest = self.max_wait_seconds
        if longest is not None and delay_seconds is not None and delay_seconds > longest:
            raise BadOption("max_wait: must not be shorter than the delay")


def read_key_words(given: Mapping[str, Any], base: KeyWords) -> KeyWords:
    """Check what a caller gave and lay it over `base`; `key=None` takes a key away."""
    if "key" in given and given["key"] is None:
        base = KeyWords()
    changes: dict[str, Any] = {}
    for name in given:
        changes.update(_READERS[name](name, given[name]))
    words = replace(base, **changes)
    if not words.is_given and words != KeyWords():
        named = next(name for name in KEY_OPTIONS if name in given and name != "key")
        raise BadOption(f"{named}: needs a key; write key='…' or key=by('…')")
    if words.max_wait_seconds is not None and words.on_duplicate not in _SERIES:
        raise BadOption("max_wait: is for on_duplicate='debounce' and 'replace'")
    return words


def _read_key(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, By):
        return {"key": None if value is None else check_text(name, value), "key_by": None}
    if not value.arguments:
        raise BadOption(f"{name}: a key is its tenant's own already; write a text or by('…')")
    return {"key": None, "key_by": value.arguments}


def _read_on_duplicate(name: str, value: Any) -> dict[str, Any]:
    if value not in list(Mode):
        raise BadOption(f"{name}: {value!r} is not one of {', '.join(repr(str(m)) for m in Mode)}")
    return {name: Mode(value)}


def _read_unique_for(name: str, value: Any) -> dict[str, Any]:
    if value in ("live", "ever"):
        return {"is_for_ever": value == "ever", "period_seconds": None}
    return {"is_for_ever": False, "period_seconds": _positive(name, value)}


def _read_span(name: str, value: Any) -> dict[str, Any]:
    return {f"{name}_seconds": None if value is None else _positive(name, value)}


def _positive(name: str, value: Any) -> float:
    amount = seconds(value, name=name)
    if amount == 0:
        raise BadOption(f"{name}: must be longer than 0")
    return amount


_READERS: dict[str, Callable[[str, Any], dict[str, Any]]] = {
    "key": _read_key,
    "on_duplicate": _read_on_duplicate,
    "unique_for": _read_unique_for,
    "cooldown": _read_span,
    "max_wait": _read_span,
}
KEY_OPTIONS = tuple(_READERS)
