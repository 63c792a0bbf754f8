"""From an answer to what it says of itself."""

from __future__ import annotations

import asyncio

import msgspec

from leasehold.fetching import FetchFailed, Head
from leasehold_links.pages.challenges import is_challenge
from leasehold_links.pages.charset import decode_page
from leasehold_links.pages.metadata import Metadata, read_page
from leasehold_links.pages.names import title_of_file

_PAGES = ("text/html", "application/xhtml+xml")
_AT_ONCE_BYTES = 65_536  # a page of that size takes less time than a thread to read it in


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What came; of a file, no more than its head. `cut_by`: why there is no more of it."""

    head: Head
    body: bytes = b""
    cut_by: FetchFailed | None = None

    @property
    def content_type(self) -> str:
        return self.head.headers.get("content-type") or ""

    @property
    def is_page(self) -> bool:
        return may_be_page(self.head) and (
            bool(self.content_type.strip()) or self.body.lstrip()[:1] == b"<"
        )


def may_be_page(head: Head) -> bool:
    """Whether its body is of interest: a file has nothing to say but its name."""
    kind = (head.headers.get("content-type") or "").partition(";")[0].strip().lower()
    return not kind or kind in _PAGES


async def read_answer(answer: Answer) -> Metadata | None:
    """Read what came; None when it is a challenge."""
    if len(answer.body) <= _AT_ONCE_BYTES and _is_quick(answer.body):
        return _read(answer)
    return await asyncio.to_thread(_read, answer)


def _is_quick(body: bytes) -> bool:
    """Whether nobody has to guess its encoding."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def _read(answer: Answer) -> Metadata | None:
    head = answer.head
    if is_challenge(head.headers, head.url, status=head.status):
        return None
    if not answer.is_page:
        disposition = head.headers.get("content-disposition") or ""
        return Metadata(title=title_of_file(head.url, disposition))
    text = decode_page(answer.body, answer.content_type)
    found = read_page(text, head.url)
    is_asked = is_challenge(head.headers, head.url, text, found.title, status=head.status)
    return None if is_asked else found
