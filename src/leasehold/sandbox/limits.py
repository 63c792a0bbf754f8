"""What an isolated task may use."""

from __future__ import annotations

import re
from dataclasses import dataclass

import msgspec

from leasehold.errors import BadOption
from leasehold.model.durations import Duration, seconds

_SIZE = re.compile(r"(\d+)\s*([KMG]i?B?)?", re.IGNORECASE)
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}
_LEAST_MEMORY = 2**20
_LEAST_FILES = 16  # its pipes, its output, and what the interpreter itself opens
_MOST = 2**50


@dataclass(frozen=True, slots=True, init=False)
class Limits:
    """Bounds of one child; sizes are bytes or text like "512MB", in powers of 1024.

    `memory` is of address space, what libraries reserve included; `cpu` of one attempt;
    `file_size` of each file that it writes; `processes=0` lets it start none, another number so
    many, its threads counted too.
    """

    memory_bytes: int | None
    cpu_seconds: float | None
    file_bytes: int | None
    open_files: int | None
    processes: int | None

    def __init__(
        self,
        *,
        memory: int | str | None = None,
        cpu: Duration | None = None,
        file_size: int | str | None = None,
        open_files: int | None = None,
        processes: int | None = None,
    ) -> None:
        read = {
            "memory_bytes": _read_size("memory", memory, _LEAST_MEMORY),
            "cpu_seconds": _read_cpu(cpu),
            "file_bytes": _read_size("file_size", file_size, 0),
            "open_files": _read_count("open_files", open_files, _LEAST_FILES),
            "processes": _read_count("processes", processes, 0),
        }
        for name, value in read.items():
            object.__setattr__(self, name, value)

    @property
    def is_any(self) -> bool:
        return self != NO_LIMITS


class Confinement(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a child does to itself before it imports a task."""

    memory_bytes: int | None = None
    file_bytes: int | None = None
    open_files: int | None = None
    processes: int | None = None
    network: bool = True

    @classmethod
    def of(cls, limits: Limits, *, network: bool) -> Confinement:
        return cls(
            memory_bytes=limits.memory_bytes,
            file_bytes=limits.file_bytes,
            open_files=limits.open_files,
            processes=limits.processes,
            network=network,
        )


def _read_size(name: str, value: object, least: int) -> int | None:
    if value is None:
        return None
    parsed = _SIZE.fullmatch(str(value).strip())
    if isinstance(value, bool) or parsed is None:
        raise BadOption(f"{name}: can't read {value!r}; write bytes or text like '512MB'")
    amount = int(parsed[1]) * _UNITS[(parsed[2] or "")[:1].lower()]
    return _read_count(name, amount, least)


def _read_count(name: str, value: object, least: int) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= _MOST:
        raise BadOption(f"{name}: {value!r} is not a whole number from {least:,} on")
    return value


def _read_cpu(value: Duration | None) -> float | None:
    if value is None:
        return None
    amount = seconds(value, name="cpu")
    if amount == 0:
        raise BadOption("cpu: must be longer than 0")
    return amount


NO_LIMITS = Limits()
