"""How many entries a file seems to have, in a fraction of the time that reading it takes."""

from __future__ import annotations

import re
from collections.abc import Iterable

_ENTRY = re.compile(rb"<a[\s>]", re.IGNORECASE)
_LONGEST = 2  # bytes of an entry's beginning that the end of a piece may have cut off


def count_entries(chunks: Iterable[bytes]) -> int:
    """Count what looks like an entry; reading may see more or fewer, as one in a comment."""
    count = 0
    rest = b""
    for chunk in chunks:
        # Of two bytes a character, as in UTF-16, one is zero in what we look for.
        piece = rest + chunk.replace(b"\x00", b"")
        count += len(_ENTRY.findall(piece))
        rest = piece[-_LONGEST:]
    return count
