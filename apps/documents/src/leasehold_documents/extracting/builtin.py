"""The engine that needs no network: our own parsers, each file in a confined process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

import leasehold as lh
from leasehold_documents.errors import ParserCrashed, Rejected
from leasehold_documents.extracting import kinds
from leasehold_documents.extracting.bounds import Bounds
from leasehold_documents.extracting.children import Children
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
    Exceeded,
    Inspect,
    Pages,
    Parse,
    Refused,
    Request,
    Said,
    Unbounded,
    frames,
)
from leasehold_documents.extracting.sniffing import sniff

BACKEND = "builtin"
_TRIES = 2  # a crash may be the machine's; the second is the file's
_PICTURED = frozenset(kind.media_type for kind in (kinds.PDF, *kinds.IMAGES))
Progress = Callable[[int, int], None]


class BuiltIn:
    """Reads files here. Any thread may use it; `close` ends its process."""

    def __init__(self, bounds: Bounds | None = None) -> None:
        self._children = Children(bounds)

    def inspect(self, path: Path, *, password: str | None = None) -> Inspection:
        """Return what it is and how many pages it has; refuses what will never be read."""
        with path.open("rb") as file:
            media_type = sniff(file).media_type
        try:
            said = self._said(Inspect(media_type, password), path, lambda _: None)
        except Rejected as error:
            if error.code == "DOCUMENT_ENCRYPTED":
                return Inspection(media_type=media_type, page_count=1, is_encrypted=True)
            raise
        counted = next((each.pages for each in said if isinstance(each, Counted)), 1)
        return Inspection(media_type=media_type, page_count=max(counted, 1))

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
        if strategy == "hi_res" and media_type in _PICTURED:
            raise Rejected("OCR_NOT_INSTALLED", "no program that reads pictures is installed")
        read = self._parse(path, Parse(media_type, password, pages), progress)
        elements = elements_of(read, media_type=media_type, languages=languages)
        if not elements and pages is None:
            raise Rejected("NO_TEXT_LAYER", "there is no text in it; hires can read pictures")
        return Extracted(elements=elements, page_count=len(read), backend=BACKEND)

    def close(self) -> None:
        self._children.close()

    def _parse(self, path: Path, asked: Parse, progress: Progress | None) -> list[Page]:
        done = 0

        def tell(said: Said) -> None:
            nonlocal done
            if progress is not None and isinstance(said, Pages):
                done += len(said.pages)
                progress(done, said.total)

        said = self._said(asked, path, tell)
        return [page for part in said if isinstance(part, Pages) for page in part.pages]

    def _said(self, request: Request, path: Path, tell: Callable[[Said], None]) -> list[Said]:
        for left in reversed(range(_TRIES)):
            try:
                return self._once(request, path, tell)
            except ParserCrashed as error:
                if left == 0:
                    raise Rejected("PARSER_CRASH", f"reading it failed twice: {error}") from error
        raise AssertionError("unreachable")

    def _once(self, request: Request, path: Path, tell: Callable[[Said], None]) -> list[Said]:
        heard: list[Said] = []
        with self._children.ask(request, path) as answer:
            try:
                for said in frames(answer, limit=self._children.bounds.answer_bytes):
                    _refuse(said)
                    heard.append(said)
                    tell(said)
            except (ValueError, msgspec.MsgspecError) as error:
                raise ParserCrashed("its process gave no proper answer") from error
        return heard


def _refuse(said: Said) -> None:
    match said:
        case Refused(code, reason):
            raise Rejected(code, reason)
        case Exceeded():
            raise ParserCrashed("it needs more memory than is allowed")
        case Unbounded(reason):
            raise lh.NoSandbox(f"no file is read, since its process can't be bounded: {reason}")
        case _:
            pass
