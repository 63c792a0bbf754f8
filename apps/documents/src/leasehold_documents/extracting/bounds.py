"""What a parser may use."""

from __future__ import annotations

import msgspec

from leasehold.reading import ArchiveLimits
from leasehold.sandbox.limits import Confinement
from leasehold_documents.errors import Rejected

_MIB = 1_048_576
# Of an office file; a sheet of a million equal cells is packed well, too.
ARCHIVE = ArchiveLimits(
    entries=10_000, entry_bytes=100 * _MIB, total_bytes=300 * _MIB, ratio=200, ratio_from=4 * _MIB
)
MOST_CHARACTERS = 50_000_000


def refuse_long(characters: int) -> None:
    """`TEXT_TOO_LONG` for more text than anybody reads: hundreds of books."""
    if characters > MOST_CHARACTERS:
        raise Rejected("TEXT_TOO_LONG", f"over {MOST_CHARACTERS:,} characters of text")


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """Of one file, or of one page where it is rendered."""

    memory_bytes: int = 1_024 * _MIB  # of address space, libraries included
    cpu_seconds: float = 120.0
    seconds: float = 300.0
    file_bytes: int = 128 * _MIB  # of what it writes; all of it is in memory
    answer_bytes: int = 256 * _MIB

    @property
    def confinement(self) -> Confinement:
        return Confinement(
            memory_bytes=self.memory_bytes,
            file_bytes=self.file_bytes,
            open_files=64,
            processes=0,
            network=False,
        )
