"""Names as they are compared: however they were typed, the same name is one person."""

from __future__ import annotations

import unicodedata


def name_key(name: str) -> str:
    """Write a name in NFKC and folded case, with single spaces."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())
