"""Refuses traps before anything of a file is unpacked, decoded or parsed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, BinaryIO
from xml.parsers import expat

from PIL import Image

from leasehold.reading import ArchiveRefused, ZipReader, open_zip
from leasehold_documents.errors import Rejected
from leasehold_documents.extracting import kinds
from leasehold_documents.extracting.bounds import ARCHIVE
from leasehold_documents.extracting.decoding import decode

MOST_PIXELS = 100_000_000
_XML_PARTS = (".xml", ".rels")
_ARCHIVES = (".zip", ".jar", ".7z", ".rar", ".gz", ".bz2", ".xz", ".tar", ".tgz")
_PACKED = (b"PK\x03\x04", b"7z\xbc\xaf", b"Rar!", b"\x1f\x8b", b"BZh", b"\xfd7zXZ")
_EMBEDDED = "/embeddings/"  # a table in a letter; nobody unpacks it here
_CODES = {
    "entries": "ARCHIVE_BOMB",
    "size": "ARCHIVE_BOMB",
    "ratio": "ARCHIVE_BOMB",
    "encrypted": "DOCUMENT_ENCRYPTED",
}
_DECLARES = re.compile(r"<!DOCTYPE[^>]*\[|<!ENTITY", re.IGNORECASE)
_HEAD = 65_536


class _Begun(Exception):
    """The first element is there: no declaration can follow."""


def check(source: BinaryIO, media_type: str) -> None:
    """`Rejected` for bombs, nested archives, huge pictures and document type declarations."""
    kind = kinds.BY_MEDIA_TYPE.get(media_type, kinds.UNKNOWN)
    if kind in kinds.ZIPPED or kind == kinds.ZIP:
        _check_archive(source)
    elif kind in kinds.IMAGES:
        _check_picture(source)
    elif kind == kinds.XML:
        refuse_declarations(iter(lambda: source.read(_HEAD), b""))
    elif kind == kinds.HTML:
        _check_page(source)
    source.seek(0)


def refuse_declarations(pieces: Iterable[bytes]) -> None:
    """Read XML up to its first element; `DTD_REFUSED` when a document type is declared before."""
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = _refuse
    parser.StartElementHandler = _begun
    try:
        for piece in pieces:
            parser.Parse(piece, False)  # noqa: FBT003 - it takes no keyword
    except (_Begun, expat.ExpatError, ValueError):
        return  # what is no XML at all is the parser's to say


def _refuse(*_: object) -> None:
    raise Rejected("DTD_REFUSED", "it declares a document type, which may define entities")


def _begun(*_: object) -> None:
    raise _Begun


def _check_archive(source: BinaryIO) -> None:
    try:
        with open_zip(source, ARCHIVE) as archive:
            for name in archive.names:
                _check_member(archive, name)
            _check_unlocked(archive)
    except ArchiveRefused as error:
        code = _CODES.get(error.fault, "UNREADABLE")
        raise Rejected(code, f"its archive is refused ({error.fault})") from error


def _check_member(archive: ZipReader, name: str) -> None:
    if name.endswith("/") or _EMBEDDED in f"/{name}":
        return
    pieces = archive.pieces(name)
    head = next(pieces, b"")
    if name.lower().endswith(_ARCHIVES) or head.startswith(_PACKED):
        raise Rejected("ARCHIVE_BOMB", "there is an archive inside of the archive")
    if name.lower().endswith(_XML_PARTS):
        refuse_declarations(_chained(head, pieces))


def _chained(head: bytes, rest: Iterable[bytes]) -> Iterable[bytes]:
    yield head
    yield from rest


def _check_unlocked(archive: ZipReader) -> None:
    """An OpenDocument file says in its list which of its parts are encrypted."""
    manifest = "META-INF/manifest.xml"
    if manifest in archive.names and b"encryption-data" in archive.read(manifest):
        reason = "it needs a password, and such files can only be opened by their own program"
        raise Rejected("DOCUMENT_ENCRYPTED", reason)


def _check_picture(source: BinaryIO) -> None:
    with open_picture(source) as picture:
        refuse_huge(picture)


def open_picture(source: BinaryIO) -> Any:
    """Read a picture's head only; `UNREADABLE` when it has none."""
    Image.MAX_IMAGE_PIXELS = None  # ours is told as a refusal
    try:
        return Image.open(source)
    except Exception as error:
        raise Rejected("UNREADABLE", "this picture is broken") from error


def refuse_huge(picture: Any) -> None:
    width, height = picture.size
    if width * height > MOST_PIXELS:
        raise Rejected("IMAGE_TOO_LARGE", f"over {MOST_PIXELS // 1_000_000} million pixels")


def _check_page(source: BinaryIO) -> None:
    """A page may name its kind of HTML, but may define nothing."""
    if _DECLARES.search(decode(source.read(_HEAD))):
        _refuse()
