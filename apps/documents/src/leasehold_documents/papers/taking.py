"""A file as it comes in: read once, measured, and never longer than it may be."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, cast

from leasehold_documents.errors import Rejected, TooLarge

_STEP = 256 * 1024
_IN_MEMORY = 4 * 1024 * 1024
# White space of any encoding, its marks included: a file of nothing else says nothing.
_BLANK = b" \t\r\n\x0b\x0c\x00\xef\xbb\xbf\xfe\xff\xc2\xa0\x85"


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A file that stands at its beginning."""

    file: BinaryIO
    size_bytes: int
    sha256: str


@contextmanager
def taken(file: BinaryIO, limit_bytes: int) -> Iterator[Taken]:
    """Copy a file that may be a stream, for the length of the block; `TooLarge`, `EMPTY_FILE`."""
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as copy:
        digest, size, has_ink = hashlib.sha256(), 0, False
        while block := file.read(_STEP):
            size += len(block)
            if size > limit_bytes:
                raise TooLarge(limit_bytes)
            digest.update(block)
            copy.write(block)
            has_ink = has_ink or bool(block.strip(_BLANK))
        if not has_ink:
            raise Rejected("EMPTY_FILE", "there is nothing in the file")
        copy.seek(0)
        yield Taken(file=cast("BinaryIO", copy), size_bytes=size, sha256=digest.hexdigest())
