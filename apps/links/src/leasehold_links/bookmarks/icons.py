"""Icons inside bookmark files: small pictures of pixels are kept, all else is left out.

Drawings (SVG) can hold code and addresses; a picture is told by its content, not by what it claims.
"""

from __future__ import annotations

import binascii
import re

LARGEST_BYTES = 16_384
_DATA = re.compile(r"data:image/[\w.+-]+;base64,", re.IGNORECASE)
_PICTURES = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"GIF8", "gif"),
    (b"\x00\x00\x01\x00", "x-icon"),
)


def read_icon(text: str | None) -> str | None:
    """Return a small picture as a data: address, named by what it is; None when it is none."""
    found = _DATA.match(text) if text else None
    if text is None or found is None or len(text) > LARGEST_BYTES * 4 // 3 + 64:
        return None
    encoded = text[found.end() :]
    kind = _kind_of(encoded)
    return None if kind is None else f"data:image/{kind};base64,{encoded}"


def _kind_of(encoded: str) -> str | None:
    try:
        content = binascii.a2b_base64(encoded, strict_mode=True)
    except (binascii.Error, ValueError):
        return None
    for mark, kind in _PICTURES:
        if content.startswith(mark):
            return kind
    is_webp = content[:4] == b"RIFF" and content[8:12] == b"WEBP"
    return "webp" if is_webp else None
