"""Pages as pictures, for a program that reads pictures."""

from __future__ import annotations

import math
import os
from typing import Any, BinaryIO, NoReturn

import pypdfium2 as pdfium
from PIL import ImageOps

from leasehold_documents.errors import Rejected
from leasehold_documents.extracting import kinds
from leasehold_documents.extracting.guarding import open_picture, refuse_huge
from leasehold_documents.extracting.parsers.pdf import open_pdf

DPI = 300
_POINTS = 72
_MOST_PIXELS = 50_000_000  # a poster is drawn coarser


def draw(source: BinaryIO, media_type: str, page: int, password: str | None) -> bytes:
    """Draw a page, from 1 on, in grey, as a portable graymap."""
    is_pdf = media_type == kinds.PDF.media_type
    picture = _page(source, page, password) if is_pdf else _frame(source, page)
    width, height = picture.size
    return b"P5 %d %d 255\n%b" % (width, height, picture.tobytes())


def show(picture: bytes, command: list[str], sink: BinaryIO) -> NoReturn:
    """Become the program, with the picture as its input; its output is the answer."""
    memory = os.memfd_create("page")
    with os.fdopen(os.dup(memory), "wb") as file:
        file.write(picture)
    os.lseek(memory, 0, os.SEEK_SET)
    os.dup2(memory, 0)
    os.dup2(sink.fileno(), 1)
    os.execv(command[0], command)  # noqa: S606 - no shell, and a program that we chose  # nosec B606


def _page(source: BinaryIO, page: int, password: str | None) -> Any:
    document = open_pdf(source, password)
    document.init_forms()  # or what was filled in is not drawn
    try:
        drawn = document[page - 1]
        width, height = drawn.get_size()
        most = math.sqrt(_MOST_PIXELS / max(width * height, 1))
        bitmap = drawn.render(scale=min(DPI / _POINTS, most), grayscale=True)
        return bitmap.to_pil().convert("L")
    except (pdfium.PdfiumError, IndexError, ValueError) as error:
        raise Rejected("UNREADABLE", f"page {page} can't be drawn") from error


def _frame(source: BinaryIO, page: int) -> Any:
    picture = open_picture(source)
    picture.seek(page - 1)
    refuse_huge(picture)
    turned = ImageOps.exif_transpose(picture)
    return _on_white(turned)


def _on_white(picture: Any) -> Any:
    """What is see-through is paper, not ink."""
    if "A" not in picture.getbands() and "transparency" not in picture.info:
        return picture.convert("L")
    from PIL import Image

    layered = picture.convert("RGBA")
    paper = Image.new("RGBA", layered.size, "white")
    return Image.alpha_composite(paper, layered).convert("L")
