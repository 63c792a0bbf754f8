"""An engine elsewhere, by the protocol of Unstructured: `POST /general/v0/general`.

400 and 422 are final, 401 to 403 close the engine until somebody has looked, 429, 5xx and silence
are tried again. A password stays here: what it opens is sent as an open file.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlsplit

import httpx
import msgspec

from leasehold_documents.errors import ExtractorUnavailable, Rejected
from leasehold_documents.extracting import kinds
from leasehold_documents.extracting.answers import elements_in, raise_for
from leasehold_documents.extracting.builtin import BuiltIn
from leasehold_documents.extracting.elements import (
    LANGUAGES,
    Element,
    Extracted,
    PageRange,
    Strategy,
)
from leasehold_documents.extracting.sniffing import sniff

PATH = "/general/v0/general"
_CONNECT_SECONDS = 10.0
_MOST_BYTES = 256 * 1_048_576


class Unstructured:
    """Sends files to a service. Traps are refused and pages counted here, by `local`."""

    def __init__(self, url: str, key: str, *, seconds: float, local: BuiltIn) -> None:
        self._url = url if urlsplit(url).path.strip("/") else url.rstrip("/") + PATH
        self._local = local
        headers = {"accept": "application/json", **({"unstructured-api-key": key} if key else {})}
        timeout = httpx.Timeout(seconds, connect=_CONNECT_SECONDS)
        # Papers go to the service that was named, through nothing that a variable names besides.
        self._client = httpx.Client(timeout=timeout, headers=headers, trust_env=False)

    def extract(
        self,
        path: Path,
        *,
        media_type: str,
        strategy: Strategy = "fast",
        languages: tuple[str, ...] = LANGUAGES,
        password: str | None = None,
        pages: PageRange | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Extracted:
        """Have a file read; `Rejected` when that can never be."""
        total = self._count(path, password)
        first, last = pages or (1, total)
        is_cut = media_type == kinds.PDF.media_type
        form = {"strategy": strategy, "languages": list(languages)}
        numbered = {"starting_page_number": str(first)} if is_cut and first > 1 else {}
        with self._opened(path, media_type, password, pages) as file:
            found = self._ask(file, {**form, **numbered})
        elements = found if is_cut or pages is None else _within(found, first, last)
        if not elements and pages is None:
            raise Rejected("NO_TEXT_LAYER", "there is no text in it; hires can read pictures")
        count = min(last, total) - first + 1
        if progress is not None:
            progress(count, total)
        return Extracted(elements=elements, page_count=count, backend=self._backend)

    def close(self) -> None:
        self._client.close()

    @property
    def _backend(self) -> str:
        return f"unstructured at {urlsplit(self._url).netloc.rpartition('@')[2]}"

    def _count(self, path: Path, password: str | None) -> int:
        found = self._local.inspect(path, password=password)
        if found.is_encrypted:
            reason = "it needs a password" if password is None else "this password does not open it"
            raise Rejected("DOCUMENT_ENCRYPTED", reason)
        return found.page_count

    def _opened(
        self, path: Path, media_type: str, password: str | None, pages: PageRange | None
    ) -> BinaryIO:
        is_pdf = media_type == kinds.PDF.media_type
        is_locked = media_type == kinds.ENCRYPTED_OFFICE.media_type
        if is_locked or (is_pdf and (pages is not None or password is not None)):
            data = self._local.cut(path, media_type=media_type, password=password, pages=pages)
            return io.BytesIO(data)
        return path.open("rb")

    def _ask(self, file: BinaryIO, form: dict[str, Any]) -> list[Element]:
        """Send it under a name of ours: what people call their papers is none of its business."""
        kind = sniff(file)
        files = {"files": (f"document.{kind.extension}", file, kind.media_type)}
        try:
            with self._client.stream("POST", self._url, data=form, files=files) as response:
                body = _read(response)
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise ExtractorUnavailable(None, type(error).__name__) from error
        raise_for(response.status_code, response.headers, body)
        try:
            return elements_in(body)
        except msgspec.MsgspecError as error:
            raise ExtractorUnavailable(200, "its answer is no list of elements") from error


def _within(elements: list[Element], first: int, last: int) -> list[Element]:
    """Keep those of a range; what has no page belongs to the first one."""
    return [each for each in elements if first <= (each.page_number or 1) <= last]


def _read(response: httpx.Response) -> bytes:
    body = bytearray()
    for piece in response.iter_bytes():
        body += piece
        if len(body) > _MOST_BYTES:
            raise ExtractorUnavailable(response.status_code, "its answer is too long")
    return bytes(body)
