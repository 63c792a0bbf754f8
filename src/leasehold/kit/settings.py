"""What an operator may say about an application, in variables of the environment."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Generic, TypeVar

import msgspec

from leasehold.kit.errors import BadSetting

T = TypeVar("T", bound=msgspec.Struct)


def read_settings(shape: type[T], prefix: str, environment: Mapping[str, str] = os.environ) -> T:
    """Read the variables that begin with the prefix; `BadSetting` names one that can't be used."""
    said = {
        key.removeprefix(prefix).lower(): text
        for key, text in environment.items()
        if key.startswith(prefix)
    }
    for name, text in said.items():
        try:
            msgspec.convert({name: text}, shape, strict=False)
        except msgspec.ValidationError as error:
            raise BadSetting(prefix + name.upper(), _reason(error)) from None
    return msgspec.convert(said, shape, strict=False)


def _reason(error: msgspec.ValidationError) -> str:
    """Leave out where it is in a document that nobody has written."""
    return str(error).partition(" - at ")[0]


class Lent(Generic[T]):
    """Settings of this process: what was lent to it, else what is read."""

    def __init__(self, read: Callable[[], T]) -> None:
        self._read = read
        self._lent: list[T] = []

    def __call__(self) -> T:
        return self._lent[-1] if self._lent else self._read()

    @contextmanager
    def lending(self, said: T) -> Iterator[T]:
        """Let others hold in this process, and in no other, until the end of the `with`."""
        self._lent.append(said)
        try:
            yield said
        finally:
            self._lent.remove(said)


class Lendable(Lent[T]):
    """The same, read from the variables that begin with a prefix, as they are now."""

    def __init__(self, shape: type[T], prefix: str) -> None:
        super().__init__(lambda: read_settings(shape, prefix))
