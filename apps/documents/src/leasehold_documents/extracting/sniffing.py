"""Tells what a file is by its first bytes, and what is in its archive; never by its name."""

from __future__ import annotations

import io
import re
from typing import BinaryIO

import olefile
import puremagic

from leasehold.reading import ArchiveRefused, open_zip
from leasehold_documents.errors import Rejected
from leasehold_documents.extracting import kinds
from leasehold_documents.extracting.bounds import ARCHIVE
from leasehold_documents.extracting.decoding import decode
from leasehold_documents.extracting.kinds import Kind

HEAD = 65_536
_PIECE = 1_048_576
# White space in any encoding: with the zeros of UTF-16 and UTF-32 and the marks at their start.
_BLANK = b" \t\r\n\x0b\x0c\x00\xef\xbb\xbf\xff\xfe"
_MAGIC = (
    (b"{\\rtf", kinds.RTF),
    (b"\x89PNG\r\n\x1a\n", kinds.PNG),
    (b"\xff\xd8\xff", kinds.JPEG),
    (b"II*\x00", kinds.TIFF),
    (b"MM\x00*", kinds.TIFF),
    (b"GIF87a", kinds.GIF),
    (b"GIF89a", kinds.GIF),
)
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MAIN_PARTS = {
    "word/document.xml": kinds.DOCX,
    "xl/workbook.xml": kinds.XLSX,
    "ppt/presentation.xml": kinds.PPTX,
}
_HTML = re.compile(
    r"<(!doctype\s+html|html|head|body|title|meta|div|table|p|h1)[\s>/]", re.IGNORECASE
)
_MAIL = re.compile(
    r"\A(?:(?:received|return-path|delivered-to|from|to|subject|date|message-id|mime-version|"
    r"x-[\w-]+|dkim-signature|content-type|reply-to|cc)\s*:[^\n]*\n(?:[ \t][^\n]*\n)*){3}",
    re.IGNORECASE,
)
_MARKDOWN = re.compile(r"^(#{1,6} \S|```|\[[^\]]+\]\([^)]+\)|\|[ :-]*-[-| :]*\|$)", re.MULTILINE)
_MEDIA_TYPE = re.compile(r"[\w.+-]{1,60}/[\w.+-]{1,80}")
_SEPARATORS = ((";", 1), ("\t", 1), ("|", 1), (",", 2))  # prose has commas, too


def sniff(file: BinaryIO) -> Kind:
    """Return what a file is; its position is put back. `EMPTY_FILE` when there is nothing in it."""
    start = file.tell()
    try:
        _refuse_empty(file)
        file.seek(start)
        return _kind(file, file.read(HEAD), start)
    finally:
        file.seek(start)


def _refuse_empty(file: BinaryIO) -> None:
    while piece := file.read(_PIECE):
        if piece.strip(_BLANK):
            return
    raise Rejected("EMPTY_FILE", "there is nothing in it")


def _kind(file: BinaryIO, head: bytes, start: int) -> Kind:
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return kinds.WEBP
    if b"%PDF-" in head[:1_024]:
        return kinds.PDF
    if head.startswith(_ZIP):
        file.seek(start)
        return _zipped(file)
    if head.startswith(_OLE):
        file.seek(start)
        return _compound(file)
    return _textual(head)


def _zipped(file: BinaryIO) -> Kind:
    """Look at the names of its members; nothing is unpacked but the short type of OpenDocument."""
    try:
        with open_zip(file, ARCHIVE) as archive:
            names = set(archive.names)
            if "mimetype" in names and archive.size("mimetype") <= len(kinds.ODP.media_type):
                said = archive.read("mimetype").decode("ascii", "replace").strip()
                return _one_of(kinds.OPEN_DOCUMENT, said)
            return next((kind for part, kind in _MAIN_PARTS.items() if part in names), kinds.ZIP)
    except ArchiveRefused as error:
        return _despite(error)


def _one_of(candidates: tuple[Kind, ...], media_type: str) -> Kind:
    return next((kind for kind in candidates if kind.media_type == media_type), kinds.ZIP)


def _despite(error: ArchiveRefused) -> Kind:
    """A bomb is refused at once; what is merely broken is refused when it is to be read."""
    if error.fault in {"entries", "size", "ratio"}:
        raise Rejected("ARCHIVE_BOMB", "it unpacks to more than is allowed") from error
    return kinds.ZIP


def _compound(file: BinaryIO) -> Kind:
    try:
        with olefile.OleFileIO(file) as opened:
            is_encrypted = opened.exists("EncryptedPackage")
    except Exception:  # noqa: BLE001 - the library raises what it likes on hostile files
        return kinds.OLE
    return kinds.ENCRYPTED_OFFICE if is_encrypted else kinds.OLE


def _textual(head: bytes) -> Kind:
    if _is_binary(head):
        return _bitmap_or_unknown(head)
    text = decode(head).lstrip()
    if text.startswith(("<?xml", "<!DOCTYPE")):
        return kinds.HTML if _HTML.search(text[:2_000]) else kinds.XML
    if text.startswith("<") and _HTML.search(text[:2_000]):
        return kinds.HTML
    if _MAIL.match(text.replace("\r\n", "\n")):
        return kinds.MAIL
    if _MARKDOWN.search(text):
        return kinds.MARKDOWN
    return kinds.CSV if _is_table(text) else kinds.TEXT


def _is_binary(head: bytes) -> bool:
    """Texts have few control characters, once they are decoded; a NUL now and then is fine."""
    text = decode(head)
    strange = sum(c < " " and c not in "\t\n\r\f\x0b\x00\x1b\x1a" for c in text)
    zeros, lost = text.count("\0"), text.count("\ufffd")
    return strange + zeros + lost > max(len(text) // 10, 2)


def _bitmap_or_unknown(head: bytes) -> Kind:
    if head.startswith(b"BM"):
        return kinds.BMP
    try:
        said = puremagic.from_stream(io.BytesIO(head), mime=True)
    except Exception:  # noqa: BLE001 - this one, too
        return kinds.UNKNOWN
    return Kind(said, "bin") if _MEDIA_TYPE.fullmatch(said) else kinds.UNKNOWN


def _is_table(text: str) -> bool:
    """Say whether its first lines have one separator equally often."""
    lines = [line for line in text.splitlines()[:6] if line.strip()][:5]
    return len(lines) > 1 and any(
        len({line.count(sign) for line in lines}) == 1 and lines[0].count(sign) >= least
        for sign, least in _SEPARATORS
    )
