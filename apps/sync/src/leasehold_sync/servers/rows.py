"""Rows that are made from their number when somebody asks for them.

A collection of a million takes no memory: only what was changed, inserted or deleted is kept.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

FIRST = 1_704_067_200  # 2024-01-01T00:00:00Z, when the first row was created
SPACING_SECONDS = 10
_ODD = 0x9E3779B97F4B  # odd, so that multiplying by it can be undone
_BITS = 48
_MASK = (1 << _BITS) - 1
_INVERSE = pow(_ODD, -1, 1 << _BITS)


class Ids(msgspec.Struct, frozen=True, kw_only=True):
    """The names of rows, by number, in an order that tells nothing: 48 bits as hex digits."""

    before: str = ""
    after: str = ""

    def text(self, number: int) -> str:
        return f"{self.before}{number * _ODD & _MASK:012x}{self.after}"

    def number(self, text: str) -> int | None:
        """Return the number that has this name, if any could."""
        middle = text.removeprefix(self.before).removesuffix(self.after)
        if f"{self.before}{middle}{self.after}" != text or len(middle) != _BITS // 4:
            return None
        try:
            return int(middle, 16) * _INVERSE & _MASK
        except ValueError:
            return None


class Numerals(msgspec.Struct, frozen=True, kw_only=True):
    """The names of rows as numbers, which follow one another."""

    before: int

    def text(self, number: int) -> str:
        return str(self.before + number)

    def number(self, text: str) -> int | None:
        return int(text) - self.before if text.isascii() and text.isdigit() else None


class Row(msgspec.Struct, frozen=True):
    """What a row's text is made from; times are seconds since 1970."""

    number: int
    id: str
    created: int
    updated: int


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """A collection: what differs from row to row, and what is the same in all of them."""

    name: str
    ids: Ids | Numerals
    own: Callable[[Row], dict[str, Any]]
    common: dict[str, Any] = {}


class Rows:
    """The rows of a kind, numbered from 1 as they were created."""

    def __init__(self, kind: Kind, count: int = 0, spacing: int = SPACING_SECONDS) -> None:
        self.kind = kind
        self._made = count
        self._spacing = spacing
        self._later: list[int] = []  # when those after the first ones were created
        self._changes: dict[int, dict[str, Any]] = {}
        self._updated: dict[int, int] = {}
        self._deleted: set[int] = set()
        self._tail = b"," + msgspec.json.encode(kind.common)[1:] if kind.common else b"}"

    @property
    def last(self) -> int:
        """The number of the newest row, deleted or not."""
        return self._made + len(self._later)

    def __len__(self) -> int:
        return self.last - len(self._deleted)

    def insert(self, at: int, fields: dict[str, Any]) -> int:
        self._later.append(max(at, self.created(self.last) if self.last else at))
        if fields:
            self._changes[self.last] = dict(fields)
        return self.last

    def update(self, number: int, at: int, fields: dict[str, Any]) -> None:
        self._changes[number] = self._changes.get(number, {}) | fields
        self._updated[number] = at

    def delete(self, number: int) -> None:
        self._deleted.add(number)

    def has(self, number: int | None) -> bool:
        return number is not None and 0 < number <= self.last and number not in self._deleted

    def had(self, number: int | None) -> bool:
        return number in self._deleted

    def find(self, identifier: str) -> int | None:
        """Return the number of a row that is there."""
        number = self.kind.ids.number(identifier)
        return number if self.has(number) else None

    def changes(self, number: int) -> dict[str, Any]:
        """Return what was said of a row when it was inserted or changed."""
        return self._changes.get(number, {})

    def created(self, number: int) -> int:
        if number <= self._made:
            return FIRST + number * self._spacing
        return self._later[number - self._made - 1]

    def updated(self, number: int) -> int:
        return self._updated.get(number) or self.created(number)

    def row(self, number: int) -> Row:
        text = self.kind.ids.text(number)
        return Row(number, text, self.created(number), self.updated(number))

    def encode(self, number: int) -> bytes:
        """Return a row's JSON."""
        own = self.kind.own(self.row(number))
        if number not in self._changes:
            return msgspec.json.encode(own)[:-1] + self._tail
        return msgspec.json.encode(own | self.kind.common | self._changes[number])

    def get(self, number: int) -> dict[str, Any]:
        document: dict[str, Any] = msgspec.json.decode(self.encode(number))
        return document

    def page(self, numbers: list[int]) -> bytes:
        """Return the JSON of many rows, as a list."""
        return b"[" + b",".join([self.encode(number) for number in numbers]) + b"]"

    def between(self, since: int | None, until: int | None) -> tuple[int, int]:
        """Return the first and the last number created from `since` to `until`, both included."""
        numbers = range(1, self.last + 1)
        first = 1 if since is None else 1 + bisect_left(numbers, since, key=self.created)
        last = self.last if until is None else bisect_right(numbers, until, key=self.created)
        return first, last

    def newest_first(self, first: int, last: int) -> Iterator[int]:
        return (number for number in range(last, first - 1, -1) if number not in self._deleted)

    def oldest_first(self, first: int, last: int) -> Iterator[int]:
        return (number for number in range(first, last + 1) if number not in self._deleted)

    def by_update(
        self, since: int | None, until: int | None, *, newest_first: bool = False
    ) -> Iterator[tuple[int, int]]:
        """Iterate over what was last changed in that time: when, and its number."""
        first, last = self.between(since, until)
        walk = self.newest_first if newest_first else self.oldest_first
        untouched = (number for number in walk(first, last) if number not in self._updated)
        touched = [
            (moment, number)
            for number, moment in self._updated.items()
            if number not in self._deleted and is_within(moment, since, until)
        ]
        touched.sort(reverse=newest_first)
        keyed = ((self.created(number), number) for number in untouched)
        return heapq.merge(keyed, touched, reverse=newest_first)

    def count(self, first: int, last: int) -> int:
        gone = sum(first <= number <= last for number in self._deleted)
        return max(0, last - first + 1 - gone)

    def count_updated(self, since: int | None, until: int | None) -> int:
        first, last = self.between(since, until)
        moved = [number for number in self._updated if number not in self._deleted]
        left = sum(first <= number <= last for number in moved)
        came = sum(is_within(self._updated[number], since, until) for number in moved)
        return self.count(first, last) - left + came


def is_within(moment: int, since: int | None, until: int | None) -> bool:
    return (since is None or moment >= since) and (until is None or moment <= until)
