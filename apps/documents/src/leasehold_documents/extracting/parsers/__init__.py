"""Readers of the kinds of files; they run in confined processes only."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, TypeAlias, cast

from leasehold_documents.errors import Rejected
from leasehold_documents.extracting import kinds
from leasehold_documents.extracting.elements import Page
from leasehold_documents.extracting.messages import Parse

_HERE = __name__


@dataclass(frozen=True, slots=True)
class Read:
    """A file that is open: how many pages there are, and those that were asked for."""

    total: int
    pages: Iterator[Page]


Parser: TypeAlias = Callable[[BinaryIO, Parse], Read]

_MODULES = {
    kinds.PDF: "pdf",
    kinds.DOCX: "word",
    kinds.XLSX: "sheets",
    kinds.PPTX: "slides",
    kinds.RTF: "rich_text",
    kinds.HTML: "markup",
    kinds.XML: "markup",
    kinds.MAIL: "mail",
    **dict.fromkeys(kinds.OPEN_DOCUMENT, "open_document"),
    **dict.fromkeys(kinds.TEXTS, "plain"),
    **dict.fromkeys(kinds.IMAGES, "pictures"),
}
MODULES = {kind.media_type: module for kind, module in _MODULES.items()}


def parser_of(media_type: str) -> Parser:
    """Return what reads that kind; `UNSUPPORTED_TYPE` when nothing does."""
    module = MODULES.get(media_type)
    if module is None:
        raise Rejected("UNSUPPORTED_TYPE", f"files of type {media_type} can't be read")
    return cast("Parser", importlib.import_module(f"{_HERE}.{module}").parse)


def load_all() -> None:
    """Import them, so that no child has to."""
    for media_type in MODULES:
        parser_of(media_type)
