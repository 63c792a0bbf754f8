"""What is read out of a file: elements in the words of Unstructured, page by page."""

from __future__ import annotations

import hashlib
from typing import Any, Literal, TypeAlias

import msgspec

Strategy: TypeAlias = Literal["fast", "hi_res"]
PageRange: TypeAlias = tuple[int, int]  # the first and the last one, from 1 on
LANGUAGES = ("deu", "eng")
STRATEGIES: dict[str, Strategy] = {"unstructured_fast": "fast", "unstructured_hires": "hi_res"}


class Block(msgspec.Struct, frozen=True, array_like=True):
    """A piece of a page as a parser sees it."""

    type: str
    text: str


class Page(msgspec.Struct, frozen=True, array_like=True):
    """All pieces of one page, in reading order."""

    number: int
    blocks: list[Block]


class Element(msgspec.Struct, frozen=True, kw_only=True):
    """One element as the protocol of Unstructured has it."""

    type: str
    element_id: str = ""
    text: str = ""
    metadata: dict[str, Any] = msgspec.field(default_factory=dict)

    @property
    def page_number(self) -> int | None:
        number = self.metadata.get("page_number")
        return number if isinstance(number, int) and not isinstance(number, bool) else None


class Extracted(msgspec.Struct, frozen=True, kw_only=True):
    """All of one file, or of a range of its pages."""

    elements: list[Element]
    page_count: int  # of those that were read
    backend: str  # what really read it


class Inspection(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a file before anybody pays for it."""

    media_type: str
    page_count: int  # 1 when it is encrypted: nobody can know yet
    is_encrypted: bool = False


def elements_of(pages: list[Page], *, media_type: str, languages: tuple[str, ...]) -> list[Element]:
    """Name the pieces of pages; the same file always has the same names."""
    return [
        _element(page.number, position, block, media_type, languages)
        for page in pages
        for position, block in enumerate(page.blocks)
    ]


def _element(
    page: int, position: int, block: Block, media_type: str, languages: tuple[str, ...]
) -> Element:
    named = hashlib.sha256(f"{page}:{position}:{block.type}:{block.text}".encode())
    metadata = {"filetype": media_type, "languages": list(languages), "page_number": page}
    return Element(
        type=block.type, element_id=named.hexdigest()[:32], text=block.text, metadata=metadata
    )
