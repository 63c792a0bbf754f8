"""How much an archive may hold, and the count of what came out of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from leasehold.errors import LeaseholdError

_MIB = 1_048_576
_LONGEST_NAME = 1_024
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_DRIVE = re.compile(r"[A-Za-z]:")

Fault: TypeAlias = Literal["entries", "size", "ratio", "name", "kind", "encrypted", "broken"]


class ArchiveRefused(LeaseholdError):
    """An archive is a bomb, a trap or broken; `fault` says which in one word."""

    def __init__(self, fault: Fault, reason: str) -> None:
        super().__init__(f"archive refused: {reason}")
        self.fault = fault
        self.reason = reason


class JsonRefused(LeaseholdError):
    """JSON that is too large, too deep or none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveLimits:
    """What one archive may come to, unpacked."""

    entries: int = 1_000
    entry_bytes: int = 50 * _MIB
    total_bytes: int = 200 * _MIB
    ratio: int = 100  # unpacked to packed; text and XML seldom pass 30
    ratio_from: int = _MIB  # small members may be packed as well as they can


class Meter:
    """Counts what really comes out, whatever the archive says of itself."""

    def __init__(self, limits: ArchiveLimits) -> None:
        self._limits = limits
        self._total = 0

    def add(self, size: int, entry: int, packed: int) -> None:
        """Count `size` more bytes of a member that has come to `entry`, of `packed` ones."""
        self._total += size
        limits = self._limits
        if entry > limits.entry_bytes:
            raise ArchiveRefused("size", f"a member of over {limits.entry_bytes:,} bytes")
        if self._total > limits.total_bytes:
            raise ArchiveRefused("size", f"over {limits.total_bytes:,} bytes in all")
        check_ratio(limits, entry, packed)


def check_ratio(limits: ArchiveLimits, unpacked: int, packed: int) -> None:
    if unpacked > limits.ratio_from and unpacked > limits.ratio * max(packed, 1):
        raise ArchiveRefused("ratio", f"a member packed more than {limits.ratio}-fold")


def check_entries(limits: ArchiveLimits, count: int) -> None:
    if count > limits.entries:
        raise ArchiveRefused("entries", f"over {limits.entries:,} entries")


def check_member_name(name: str, seen: set[str]) -> None:
    """Refuse names that would leave a folder, or mean another file to another program."""
    parts = name.rstrip("/").split("/")
    if not name or len(name) > _LONGEST_NAME or _CONTROL.search(name):
        raise ArchiveRefused("name", "a member's name is empty, too long or not printable")
    if "\\" in name or name.startswith("/") or _DRIVE.match(name) or {"..", ""} & set(parts):
        raise ArchiveRefused("name", f"the name {name[:80]!r} leads out of the archive")
    if name in seen:
        raise ArchiveRefused("name", f"two members are named {name[:80]!r}")
    seen.add(name)
