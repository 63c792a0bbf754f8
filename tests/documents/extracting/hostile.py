"""Files that mean harm, or are broken, each with the codes that it may end with."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.documents.extracting import papers

DTD = b'<!DOCTYPE a [<!ENTITY l "lol"><!ENTITY m "&l;&l;&l;&l;&l;&l;&l;&l;">]>'
EXTERNAL = b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
OK = ""  # it may also be read
CANARY = b"Kanarienvogel"  # which no message may hold


class Hostile(NamedTuple):
    """How one is made, and how it may end by each strategy."""

    make: Callable[[Path], object]
    codes: set[str]


def _write(data: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(data)


def _zip(members: dict[str, bytes]) -> Callable[[Path], object]:
    return lambda path: papers.zipped(path, members)


def _within(name: str, data: bytes) -> Callable[[Path], object]:
    """Put a part into a letter of Word, in place of its own if it has one."""

    def make(path: Path) -> None:
        import zipfile

        papers.word(path)
        with zipfile.ZipFile(path) as archive:
            members = {each: archive.read(each) for each in archive.namelist()}
        papers.zipped(path, {**members, name: data})

    return make


def _png(width: int, height: int, body: bytes = b"") -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        checked = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + checked

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def _pdf(*objects: bytes) -> bytes:
    """Write objects without a table of where they are: pdfium looks for them."""
    body = b"".join(b"%d 0 obj\n%b\nendobj\n" % (n, o) for n, o in enumerate(objects, 1))
    return b"%PDF-1.7\n" + body + b"trailer <</Root 1 0 R>>\n%%EOF"


def _one_page(content: bytes, *, filtered: bytes = b"") -> bytes:
    stream = b"<</Length %d%b>> stream\n%b\nendstream" % (len(content), filtered, content)
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<<>>>>"
    pages = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
    return _pdf(b"<</Type/Catalog/Pages 2 0 R>>", pages, page, stream)


def _truncated(keep: float) -> Callable[[Path], object]:
    def make(path: Path) -> None:
        papers.pdf(path, ["Vertrag\nMit viel Text. " * 30] * 5)
        data = path.read_bytes()
        path.write_bytes(data[: int(len(data) * keep)])

    return make


def _sheet_that_lies(path: Path) -> None:
    import zipfile

    papers.sheet(path)
    with zipfile.ZipFile(path) as archive:
        members = {each: archive.read(each) for each in archive.namelist()}
    name = "xl/worksheets/sheet1.xml"
    members[name] = members[name].replace(b'ref="A1:C2"', b'ref="A1:XFD1048576"')
    papers.zipped(path, members)


_noise = random.Random(4711).randbytes
_bomb = zlib.compress(bytes(64 * 1_048_576), 9)

CORPUS: dict[str, Hostile] = {
    "bomb": Hostile(_within("word/media/a.bin", bytes(64 * 1_048_576)), {"ARCHIVE_BOMB"}),
    "bomb of entries": Hostile(_zip({f"{n}": b"" for n in range(10_001)}), {"ARCHIVE_BOMB"}),
    "nested zip": Hostile(_zip({"a.zip": b"PK\x03\x04"}), {"ARCHIVE_BOMB"}),
    "nested in a letter": Hostile(_within("word/a.bin", b"PK\x03\x04x"), {"ARCHIVE_BOMB"}),
    "plain zip": Hostile(_zip({"a.txt": b"Text"}), {"UNSUPPORTED_TYPE"}),
    "member that climbs": Hostile(_within("../../a.xml", b"<a/>"), {"UNREADABLE"}),
    "truncated zip": Hostile(_write(b"PK\x03\x04" + _noise(2_000)), {"UNREADABLE"}),
    "entities in a letter": Hostile(
        _within("word/document.xml", DTD + b"<a>&m;</a>"), {"DTD_REFUSED"}
    ),
    "entities in UTF-16": Hostile(
        _within("word/document.xml", (DTD + b"<a>&m;</a>").decode().encode("utf-16")),
        {"DTD_REFUSED"},
    ),
    "entities behind a comment": Hostile(
        _within("word/styles.xml", b"<!--" + b"x" * 200_000 + b"-->" + DTD + b"<a/>"),
        {"DTD_REFUSED"},
    ),
    "external entity": Hostile(
        _write(b"<?xml version='1.0'?>" + EXTERNAL + b"<a>&x;</a>"), {"DTD_REFUSED"}
    ),
    "entities in a web page": Hostile(
        _write(b"<!DOCTYPE html [<!ENTITY x 'y'>]><html><body>&x;</body></html>"), {"DTD_REFUSED"}
    ),
    "deep XML": Hostile(
        _within("word/document.xml", b"<a>" * 100_000 + b"</a>" * 100_000), {"UNREADABLE"}
    ),
    "broken XML": Hostile(
        _write(b"<?xml version='1.0'?><a><b>" + CANARY + b"</a>"), {"UNREADABLE"}
    ),
    "deep web page": Hostile(
        _write(b"<html><body>" + b"<div>" * 100_000 + b"Text"), {OK, "UNREADABLE", "NO_TEXT_LAYER"}
    ),
    "huge picture": Hostile(_write(_png(60_000, 60_000)), {"IMAGE_TOO_LARGE"}),
    "largest picture": Hostile(_write(_png(2**31 - 1, 2**31 - 1)), {"IMAGE_TOO_LARGE"}),
    "broken picture": Hostile(_write(_png(500, 500, b"no data")), {"NO_TEXT_LAYER", "UNREADABLE"}),
    "picture without a head": Hostile(_write(b"\x89PNG\r\n\x1a\n" + _noise(500)), {"UNREADABLE"}),
    "endless TIFF": Hostile(
        _write(b"II*\x00\x08\x00\x00\x00\x00\x00\x08\x00\x00\x00" + bytes(50)),
        {"UNREADABLE", "NO_TEXT_LAYER", "PARSER_CRASH"},
    ),
    "locked PDF": Hostile(
        lambda path: papers.pdf(path, ["Geheim"], password="x"), {"DOCUMENT_ENCRYPTED"}
    ),
    "locked sheet": Hostile(lambda path: papers.sheet(path, password="x"), {"DOCUMENT_ENCRYPTED"}),
    "PDF of noise": Hostile(_write(b"%PDF-1.7\n" + _noise(20_000)), {"UNREADABLE"}),
    "PDF cut short": Hostile(_truncated(0.6), {OK, "UNREADABLE", "NO_TEXT_LAYER"}),
    "PDF cut shorter": Hostile(_truncated(0.1), {OK, "UNREADABLE", "NO_TEXT_LAYER"}),
    "PDF that is its own page": Hostile(
        _write(
            _pdf(b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[2 0 R]/Count 2000000000>>")
        ),
        {"UNREADABLE", "NO_TEXT_LAYER", "PARSER_CRASH", "NO_TEXT_FOUND"},
    ),
    "PDF without pages": Hostile(
        _write(_pdf(b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[]/Count 0>>")),
        {"UNREADABLE"},
    ),
    "PDF with a bomb": Hostile(
        _write(_one_page(_bomb, filtered=b"/Filter/FlateDecode")),
        {"NO_TEXT_LAYER", "NO_TEXT_FOUND", "PARSER_CRASH"},
    ),
    "deep PDF": Hostile(
        _write(_one_page(b"[" * 500_000 + b"q " * 500_000)),
        {"NO_TEXT_LAYER", "NO_TEXT_FOUND", "UNREADABLE", "PARSER_CRASH"},
    ),
    "sheet that lies about its size": Hostile(_sheet_that_lies, {OK}),
    "endless RTF": Hostile(
        _write(b"{\\rtf1" + b"{" * 100_000 + b"Text"), {OK, "UNREADABLE", "NO_TEXT_LAYER"}
    ),
    "deep mail": Hostile(
        _write(
            b"From: a@b.de\nTo: b@c.de\nSubject: x\nMIME-Version: 1.0\n"
            + b"Content-Type: message/rfc822\n\n" * 5_000
        ),
        {OK, "UNREADABLE"},
    ),
    "old office file": Hostile(
        _write(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2_000)), {"UNSUPPORTED_TYPE"}
    ),
    "program": Hostile(_write(b"MZ\x90\x00" + _noise(4_000)), {"UNSUPPORTED_TYPE"}),
    "zeros in a text": Hostile(_write(b"Vor\x00trag\x00 und Text"), {OK}),
    "only zeros": Hostile(_write(bytes(5_000)), {"EMPTY_FILE"}),
    "nothing": Hostile(_write(b""), {"EMPTY_FILE"}),
    "white space": Hostile(_write(b" \n\t\r\n" * 100), {"EMPTY_FILE"}),
}
