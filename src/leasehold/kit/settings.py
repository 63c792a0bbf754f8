"""What an operator may say about an application, in variables of the environment."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
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


class Lendable(Generic[T]):
    """Settings of this process: what was lent to it, else what the environment says now."""

    def __init__(self, shape: type[T], prefix: str) -> None:
        self._shape = shape
        self._prefix = prefix
        self._lent: list[T] = []

    def __call__(self) -> T:
        return self._lent[-1] if self._lent else read_settings(self._shape, self._prefix)

    @contextmanager
    def lending(self, said: T) -> Iterator[T]:
        """Let others hold in this process, and in no other, until the end of the `with`."""
        self._lent.append(said)
        try:
            yield said
        finally:
            self._lent.remove(said)
