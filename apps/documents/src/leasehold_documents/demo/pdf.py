"""Writes small PDF files: lines of text on pages, in a font that every reader has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_HEADING, _TEXT = 18, 11
_LEFT, _TOP, _LEADING = 60, 780, 16


def pdf_of(pages: Sequence[Sequence[str]]) -> bytes:
    """Make a PDF; the first line of a page is its heading. What cp1252 lacks becomes "?"."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(count))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, lines in enumerate(pages):
        objects += [_page(5 + 2 * number), _stream(_drawn(lines))]
    return _file(objects)


def _page(content: int) -> bytes:
    return (
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842]"
        f" /Resources << /Font << /F1 3 0 R >> >> /Contents {content} 0 R >>"
    ).encode()


def _stream(content: bytes) -> bytes:
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content)


def _drawn(lines: Sequence[str]) -> bytes:
    """Write the lines one below the other."""
    shown = [f"BT /F1 {_HEADING} Tf {_LEFT} {_TOP} Td {_LEADING} TL".encode()]
    for number, line in enumerate(lines):
        shown.append(b"(" + _escaped(line) + b") Tj T*")
        if number == 0:
            shown.append(f"T* /F1 {_TEXT} Tf".encode())
    return b"\n".join([*shown, b"ET"])


def _escaped(line: str) -> bytes:
    raw = line.encode("cp1252", "replace")
    return raw.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def _file(objects: Iterable[bytes]) -> bytes:
    """Put objects together, with the table that says where each is."""
    parts, places = [b"%PDF-1.4\n"], list[int]()
    for number, body in enumerate(objects, 1):
        places.append(sum(map(len, parts)))
        parts.append(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start = sum(map(len, parts))
    parts.append(b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1))
    parts += [b"%010d 00000 n \n" % place for place in places]
    parts.append(b"trailer\n<< /Size %d /Root 1 0 R >>\n" % (len(places) + 1))
    parts.append(b"startxref\n%d\n%%%%EOF\n" % start)
    return b"".join(parts)
