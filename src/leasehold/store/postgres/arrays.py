"""Arrays in PostgreSQL's binary form, made at once: psycopg would look at each value by itself."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import psycopg
from psycopg.adapt import Dumper
from psycopg.postgres import types
from psycopg.pq import Format

from leasehold.store.postgres.rows import ID_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.model.ids import JobId

_HEADER = struct.Struct(">iiiii")  # dimensions, has nulls, element type, length, first index
_LENGTH = struct.Struct(">i")
_LENGTH_OF_ID = _LENGTH.pack(ID_BYTES)
_NULL = _LENGTH.pack(-1)


class Packed:
    """An array ready to be sent."""

    element = ""
    __slots__ = ("data",)

    def __init__(self, count: int, body: bytes, *, has_nulls: bool = False) -> None:
        self.data = _HEADER.pack(1, has_nulls, types[self.element].oid, count, 1) + body


class Ids(Packed):
    element = "uuid"


class Integers(Packed):
    element = "int4"


class Bigints(Packed):
    element = "int8"


class Doubles(Packed):
    element = "float8"


class Texts(Packed):
    element = "text"


def pack_texts(values: Sequence[bytes | None]) -> Texts:
    """Pack texts that are encoded already."""
    body = b"".join(
        [_NULL if value is None else _LENGTH.pack(len(value)) + value for value in values]
    )
    return Texts(len(values), body, has_nulls=True)


def pack_ids(values: Sequence[JobId]) -> Ids:
    # Not value.bytes: a call of Python's for each. Joined by what stands before each of them.
    numbers = [value.int.to_bytes(ID_BYTES, "big") for value in values]
    return Ids(len(values), _LENGTH_OF_ID.join([b"", *numbers]))


def pack_integers(values: Sequence[int]) -> Integers:
    return Integers(len(values), _pack("i", values))


def pack_bigints(values: Sequence[int]) -> Bigints:
    return Bigints(len(values), _pack("q", values))


def pack_doubles(values: Sequence[float]) -> Doubles:
    return Doubles(len(values), _pack("d", values))


def _pack(form: str, values: Sequence[float]) -> bytes:
    lengths_and_values: list[float] = [struct.calcsize(f">{form}")] * (2 * len(values))
    lengths_and_values[1::2] = values
    return struct.pack(">" + f"i{form}" * len(values), *lengths_and_values)


def _dumper(kind: type[Packed]) -> type[Dumper]:
    class PackedDumper(Dumper):
        format = Format.BINARY
        oid = types[kind.element].array_oid

        def dump(self, obj: Packed) -> bytes:
            return obj.data

    return PackedDumper


for _kind in (Ids, Integers, Bigints, Doubles, Texts):
    psycopg.adapters.register_dumper(_kind, _dumper(_kind))
