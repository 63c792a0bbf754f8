"""The text of a page, whatever encoding it has and whatever it says about it.

Bytes that are valid UTF-8 beyond ASCII are UTF-8: nothing else looks like that by chance. Then what
was declared is tried, and believed if it fits; else the bytes are looked at.
"""

from __future__ import annotations

import codecs
import re

import chardet

from leasehold_links.encodings import BOMS, codec_of

_HEADER = re.compile(r"""charset\s*=\s*["']?([\w:.-]+)""", re.IGNORECASE)
_META = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?([\w:.-]+)""", re.IGNORECASE)
_META_BYTES = 4_096
_DETECTED_BYTES = 32_768
_MOST_FAULTS = 0.01  # of the bytes beyond ASCII


def decode_page(body: bytes, content_type: str = "") -> str:
    """Return the text of a page that may have been cut off anywhere."""
    for bom, encoding in BOMS:
        if body.startswith(bom):
            return body[len(bom) :].decode(encoding, "replace")
    if body.isascii():
        return body.decode("ascii")
    if _is_utf8(body):
        return body.decode("utf-8", "replace")
    declared = _declared(body, content_type)
    if declared is not None:
        text = body.decode(declared, "replace")
        if _is_good(text, body):
            return text
    return body.decode(_detected(body) or declared or "cp1252", "replace")


def _is_utf8(body: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(body)  # its end may be missing
    except UnicodeDecodeError:
        return False
    return True


def _declared(body: bytes, content_type: str) -> str | None:
    header = _HEADER.search(content_type)
    named = None if header is None else codec_of(header[1])
    if named is not None and named != "utf-8":  # it is not: we have just looked
        return named
    meta = _META.search(body[:_META_BYTES])
    return None if meta is None else codec_of(meta[1].decode("ascii", "replace"))


def _is_good(text: str, body: bytes) -> bool:
    beyond = sum(byte > 127 for byte in body[:_DETECTED_BYTES])  # noqa: PLR2004 - ASCII's end
    faults = text[:_DETECTED_BYTES].count("\ufffd")
    return faults <= max(1, beyond * _MOST_FAULTS)


def _detected(body: bytes) -> str | None:
    found = chardet.detect(body[:_DETECTED_BYTES])["encoding"]
    return None if found is None else codec_of(found)
