"""The engine that needs no network: our own parsers, and Tesseract for pictures if it is there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from leasehold_documents.errors import Rejected
from leasehold_documents.extracting import kinds, recognizing
from leasehold_documents.extracting.asking import Asking
from leasehold_documents.extracting.bounds import Bounds
from leasehold_documents.extracting.elements import (
    LANGUAGES,
    Extracted,
    Inspection,
    Page,
    PageRange,
    Strategy,
    elements_of,
)
from leasehold_documents.extracting.messages import (
    Counted,
    Cut,
    Inspect,
    Pages,
    Parse,
    Piece,
    Render,
    Said,
)
from leasehold_documents.extracting.sniffing import sniff

BACKEND = "builtin"
_PICTURED = frozenset(kind.media_type for kind in (kinds.PDF, *kinds.IMAGES))
Progress = Callable[[int, int], None]


class BuiltIn:
    """Reads files here. Any thread may use it; `close` ends its process."""

    def __init__(self, bounds: Bounds | None = None) -> None:
        self._asking = Asking(bounds)

    def inspect(self, path: Path, *, password: str | None = None) -> Inspection:
        """Return what it is and how many pages it has; refuses what will never be read."""
        with path.open("rb") as file:
            media_type = sniff(file).media_type
        try:
            pages = self._count(path, media_type, password)
        except Rejected as error:
            if error.code == "DOCUMENT_ENCRYPTED":
                return Inspection(media_type=media_type, page_count=1, is_encrypted=True)
            raise
        return Inspection(media_type=media_type, page_count=pages)

    def extract(
        self,
        path: Path,
        *,
        media_type: str,
        strategy: Strategy = "fast",
        languages: tuple[str, ...] = LANGUAGES,
        password: str | None = None,
        pages: PageRange | None = None,
        progress: Progress | None = None,
    ) -> Extracted:
        """Read a file, or some of its pages; `Rejected` when that can never be."""
        asked, tell = Parse(media_type, password, pages), progress or _silence
        is_drawn = strategy == "hi_res" and media_type in _PICTURED
        read = (
            self._recognize(path, asked, languages, tell)
            if is_drawn
            else self._parse(path, asked, tell)
        )
        elements = elements_of(read, media_type=media_type, languages=languages)
        if not elements and pages is None:
            raise _nothing(is_drawn=is_drawn)
        backend = f"{BACKEND}, {recognizing.backend()}" if is_drawn else BACKEND
        return Extracted(elements=elements, page_count=len(read), backend=backend)

    def cut(
        self, path: Path, *, media_type: str, password: str | None, pages: PageRange | None
    ) -> bytes:
        """Make a file that needs no password: of a PDF, of some of its pages only."""
        said = self._asking.hear(Cut(media_type, password, pages), path, lambda _: None)
        return b"".join(each.data for each in said if isinstance(each, Piece))

    def close(self) -> None:
        self._asking.close()

    def _count(self, path: Path, media_type: str, password: str | None) -> int:
        said = self._asking.hear(Inspect(media_type, password), path, lambda _: None)
        return max(1, *(each.pages for each in said if isinstance(each, Counted)))

    def _parse(self, path: Path, asked: Parse, progress: Progress) -> list[Page]:
        done = 0

        def tell(said: Said) -> None:
            nonlocal done
            if isinstance(said, Pages):
                done += len(said.pages)
                progress(done, said.total)

        said = self._asking.hear(asked, path, tell)
        return [page for part in said if isinstance(part, Pages) for page in part.pages]

    def _recognize(
        self, path: Path, asked: Parse, languages: tuple[str, ...], progress: Progress
    ) -> list[Page]:
        """Draw and read page by page: each has a process, and its limits, of its own."""
        command = recognizing.command(languages)
        total = self._count(path, asked.media_type, asked.password)
        first, last = asked.pages or (1, total)
        read: list[Page] = []
        for number in range(first, min(last, total) + 1):
            table = self._asking.table(
                Render(asked.media_type, number, command, asked.password), path
            )
            read.append(Page(number, recognizing.blocks_of(table)))
            progress(len(read), total)
        return read


def _nothing(*, is_drawn: bool) -> Rejected:
    if is_drawn:
        return Rejected("NO_TEXT_FOUND", "no text can be seen on its pages")
    return Rejected("NO_TEXT_LAYER", "there is no text in it; hires can read pictures")


def _silence(_done: int, _total: int) -> None:
    """Tell nobody."""
