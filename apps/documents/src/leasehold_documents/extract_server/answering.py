"""Reads one file for one request."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from leasehold_documents.errors import Rejected
from leasehold_documents.extract_server.asked import Asked
from leasehold_documents.extracting import Element, Engine, Extracted, sniff

if TYPE_CHECKING:
    from starlette.datastructures import UploadFile

Stop = Callable[[], None]  # raises when nobody waits for the answer any more


def answer(engine: Engine, asked: Asked, file: UploadFile, stop: Stop) -> list[Element]:
    """Return its elements, under the name that the caller gave it."""
    with tempfile.NamedTemporaryFile(prefix="leasehold-extract-") as kept:
        shutil.copyfileobj(file.file, kept)
        kept.flush()
        with Path(kept.name).open("rb") as opened:
            media_type = sniff(opened).media_type
        read = _extract(engine, Path(kept.name), media_type, asked, stop)
    return _as_asked(read.elements, asked, file.filename or "")


def _extract(engine: Engine, path: Path, media_type: str, asked: Asked, stop: Stop) -> Extracted:
    """Do it the quick way, and if that is left to us the thorough one where there is no text."""
    common: dict[str, Any] = {
        "media_type": media_type,
        "languages": asked.languages,
        "password": asked.password,
        "progress": lambda _done, _total: stop(),
    }
    if asked.strategy in {"hi_res", "ocr_only"}:
        return engine.extract(path, strategy="hi_res", **common)
    try:
        return engine.extract(path, strategy="fast", **common)
    except Rejected as error:
        if asked.strategy != "auto" or error.code != "NO_TEXT_LAYER":
            raise
        return engine.extract(path, strategy="hi_res", **common)


def _as_asked(elements: list[Element], asked: Asked, name: str) -> list[Element]:
    numbered = [_renamed(element, asked.first_page - 1, name) for element in elements]
    return _broken(numbered) if asked.is_broken_by_page else numbered


def _renamed(element: Element, shift: int, name: str) -> Element:
    page = (element.page_number or 1) + shift
    metadata = {**element.metadata, "page_number": page, "filename": name[:200]}
    return msgspec.structs.replace(element, metadata=metadata)


def _broken(elements: list[Element]) -> list[Element]:
    """Put an element where a page ends, as those who want to see that are used to."""
    broken: list[Element] = []
    for element in elements:
        if broken and broken[-1].page_number != element.page_number:
            page = {"page_number": broken[-1].page_number}
            broken.append(Element(type="PageBreak", element_id="", text="", metadata=page))
        broken.append(element)
    return broken
