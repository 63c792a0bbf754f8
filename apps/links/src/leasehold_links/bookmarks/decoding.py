"""The text of a bookmark file: which encoding it has, and whether it can be one at all."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator

from leasehold_links.bookmarks.values import NotBookmarks
from leasehold_links.encodings import BOMS, codec_of

SNIFFED_BYTES = 65_536
_CHARSET = re.compile(rb"""<meta[^>]*charset\s*=\s*["']?([\w-]+)""", re.IGNORECASE)
_BOOKMARKS = re.compile(
    r"<!doctype\s+netscape-bookmark-file|<dt>|<dl[ >]|\stime_added\s*=|<a[^>]*\sadd_date\s*=",
    re.IGNORECASE,
)
_PAGE = re.compile(r"<(?:!doctype|html|head|body|div|p|a)[\s>]", re.IGNORECASE)
# What no text has; tabs and line ends are text. A few stray ones are left out, not held against it.
_CONTROLS = bytes([*range(9), 11, 12, *range(14, 32), 127])
_MOST_CONTROLS = 0.02


def decode(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Return the file as UTF-8, piece by piece; `NotBookmarks` before the first when it is none.

    Bytes that are none of its encoding are replaced: a broken title must not cost a link.
    """
    pieces = iter(chunks)
    head = b""
    while len(head) < SNIFFED_BYTES and (piece := next(pieces, None)) is not None:
        head += piece
    encoding, bom = _encoding_of(head)
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    first = decoder.decode(head[len(bom) :])
    _check(first)
    yield _clean(first)
    for piece in pieces:
        yield _clean(decoder.decode(piece))
    yield _clean(decoder.decode(b"", final=True))


def _clean(text: str) -> bytes:
    # On bytes, which is fast; no character of UTF-8 has one of these inside.
    return text.encode("utf-8", "replace").translate(None, _CONTROLS)


def check_head(head: bytes) -> None:
    """Raise `NotBookmarks` when a file that begins like this can't be one."""
    encoding, bom = _encoding_of(head)
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    _check(decoder.decode(head[len(bom) :]))


def in_chunks(data: bytes, size: int = 262_144) -> Iterator[bytes]:
    """Cut a file that is in memory."""
    return (data[start : start + size] for start in range(0, len(data), size))


def _encoding_of(head: bytes) -> tuple[str, bytes]:
    for bom, encoding in BOMS:
        if head.startswith(bom):
            return encoding, bom
    named = _CHARSET.search(head[:4_096])
    declared = None if named is None else codec_of(named[1].decode("ascii", "replace"))
    return declared or "utf-8", b""


def _check(head: str) -> None:
    text = head.strip("\ufeff \t\r\n\x00")
    if not text:
        raise NotBookmarks("empty")
    controls = sum(map(text.count, map(chr, _CONTROLS))) + text.count("\ufffd")
    if controls > max(8, len(text) * _MOST_CONTROLS):
        raise NotBookmarks("binary")
    if text[0] in "{[":
        raise NotBookmarks("json")
    if not _BOOKMARKS.search(text):
        raise NotBookmarks("html" if _PAGE.search(text) else "text")
