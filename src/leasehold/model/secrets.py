"""Values that must not be seen: `Secret("…")` says so of one, wherever it goes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, TypeVar

T_co = TypeVar("T_co", covariant=True)
SHOWN = "***"
NAME = "$secret"  # how one is written down, inside of what is encrypted
MARK = '{"$secret":'
RAW_MARK = MARK.encode()


class Secret(Generic[T_co]):
    """A value that shows itself to nobody but who asks for it with `reveal()`.

    As an argument it is masked in logs, pages, errors and traces, and its job is encrypted.
    """

    __slots__ = ("_value",)

    def __init__(self, value: T_co) -> None:
        self._value = value

    def reveal(self) -> T_co:
        """Return the value itself."""
        return self._value

    def __repr__(self) -> str:
        return f"Secret({SHOWN!r})"

    def __str__(self) -> str:
        return SHOWN

    def __format__(self, _form: str) -> str:
        return SHOWN

    def __bool__(self) -> bool:
        return bool(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._value == other._value

    def __hash__(self) -> int:
        return hash((Secret, self._value))

    def __reduce__(self) -> Any:
        raise TypeError("a Secret is not copied into other formats: reveal() it where it is used")


def secrets_in(value: Any) -> Iterator[Any]:
    """Go through the secrets in decoded JSON."""
    if isinstance(value, dict):
        if value.keys() == {NAME}:
            yield value[NAME]
            return
        for each in value.values():
            yield from secrets_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from secrets_in(each)


def texts_in(value: Any) -> Iterator[str]:
    """Go through what stands in decoded JSON as it would be written in a text."""
    if isinstance(value, dict):
        for each in value.values():
            yield from texts_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts_in(each)
    elif value is not None and not isinstance(value, bool):
        yield str(value)
