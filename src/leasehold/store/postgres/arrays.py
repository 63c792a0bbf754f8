"""Arrays of fixed-width values in PostgreSQL's binary form, made at once and not value by value."""

from __future__ import annotations

import struct
from itertools import chain, repeat
from typing import TYPE_CHECKING

import psycopg
from psycopg.adapt import Dumper
from psycopg.postgres import types
from psycopg.pq import Format

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.model.ids import JobId

_HEADER = struct.Struct(">iiiii")  # dimensions, has nulls, element type, length, first index
_LENGTH_OF_ID = struct.pack(">i", 16)


class Packed:
    """An array ready to be sent."""

    element = ""
    __slots__ = ("data",)

    def __init__(self, count: int, body: bytes) -> None:
        self.data = _HEADER.pack(1, 0, types[self.element].oid, count, 1) + body


class Ids(Packed):
    element = "uuid"


class Bigints(Packed):
    element = "int8"


class Doubles(Packed):
    element = "float8"


def pack_ids(values: Sequence[JobId]) -> Ids:
    return Ids(len(values), b"".join([_LENGTH_OF_ID + value.bytes for value in values]))


def pack_bigints(values: Sequence[int]) -> Bigints:
    return Bigints(len(values), _pack("q", values))


def pack_doubles(values: Sequence[float]) -> Doubles:
    return Doubles(len(values), _pack("d", values))


def _pack(form: str, values: Sequence[float]) -> bytes:
    lengths_and_values = chain.from_iterable(zip(repeat(8), values, strict=False))
    return struct.pack(">" + f"i{form}" * len(values), *lengths_and_values)


def _dumper(kind: type[Packed]) -> type[Dumper]:
    class PackedDumper(Dumper):
        format = Format.BINARY
        oid = types[kind.element].array_oid

        def dump(self, obj: Packed) -> bytes:
            return obj.data

    return PackedDumper


for _kind in (Ids, Bigints, Doubles):
    psycopg.adapters.register_dumper(_kind, _dumper(_kind))
