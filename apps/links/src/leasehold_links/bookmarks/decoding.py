"""The text of a bookmark file: which encoding it has, and whether it can be one at all."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator

from leasehold_links.bookmarks.values import NotBookmarks

SNIFFED_BYTES = 65_536
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CHARSET = re.compile(rb"""<meta[^>]*charset\s*=\s*["']?([\w-]+)""", re.IGNORECASE)
_BOOKMARKS = re.compile(
    r"<!doctype\s+netscape-bookmark-file|<dt>|<dl[ >]|\stime_added\s*=|<a[^>]*\sadd_date\s*=",
    re.IGNORECASE,
)
_PAGE = re.compile(r"<(?:!doctype|html|head|body|div|p|a)[\s>]", re.IGNORECASE)
# What no text has; tabs and line ends are text. A few stray ones are left out, not held against it.
_CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127])
_MOST_CONTROLS = 0.02


def decode(chunks: Iterable[bytes]) -> Iterator[str]:
    """Return the file's text, piece by piece; `NotBookmarks` before the first when it is none.

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
    yield first.translate(_CONTROLS)
    for piece in pieces:
        yield decoder.decode(piece).translate(_CONTROLS)
    yield decoder.decode(b"", final=True).translate(_CONTROLS)


def in_chunks(data: bytes, size: int = 262_144) -> Iterator[bytes]:
    """Cut a file that is in memory."""
    return (data[start : start + size] for start in range(0, len(data), size))


def _encoding_of(head: bytes) -> tuple[str, bytes]:
    for bom, encoding in _BOMS:
        if head.startswith(bom):
            return encoding, bom
    named = _CHARSET.search(head[:4_096])
    if named is not None:
        name = named[1].decode("ascii", "replace")
        try:
            if codecs.lookup(name).name in _TEXT_ENCODINGS:
                return name, b""
        except LookupError:
            pass
    return "utf-8", b""


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


# Those of the web: a file names what it likes, and `charset=zlib` is a codec to Python.
_TEXT_ENCODINGS = frozenset(
    codecs.lookup(name).name
    for name in (
        *("utf-8", "ascii", "latin-1", "cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255"),
        *("cp1256", "cp1257", "cp1258", "iso8859-2", "iso8859-5", "iso8859-7", "iso8859-9"),
        *("iso8859-15", "koi8-r", "koi8-u", "euc-kr", "cp949", "shift_jis", "cp932", "euc-jp"),
        *("iso2022_jp", "gbk", "gb2312", "gb18030", "big5", "tis-620"),
    )
)
