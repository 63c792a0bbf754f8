"""Long documents: ranges of pages are jobs of a batch, and the last one puts them together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import leasehold as lh
from leasehold_documents.errors import Rejected
from leasehold_documents.extracting import Extracted
from leasehold_documents.running.reading import take_part
from leasehold_documents.running.settling import reason_of

if TYPE_CHECKING:
    from leasehold_documents.extracting import PageRange
    from leasehold_documents.running.agreed import Agreed


def ranges_of(pages: int, longest: int) -> list[PageRange]:
    """Cut a document's pages, from 1 on, into ranges of at most so many."""
    starts = range(1, pages + 1, longest)
    return [(first, min(first + longest - 1, pages)) for first in starts]


def merged(job: Any, agreed: Agreed) -> Extracted:
    """Put together what the ranges have found; a range that failed is the document's failure."""
    ranges = [each for each in job.predecessors if each.state == "succeeded"]
    if len(ranges) < len(job.predecessors):
        _fail(job.predecessors)
    parts = [take_part(agreed, each.result["first"]) for each in ranges]
    return Extracted(
        elements=[element for part in parts for element in part.elements],
        page_count=sum(part.page_count for part in parts),
        backend=parts[0].backend,
    )


def _fail(ranges: Any) -> None:
    dead = [each for each in ranges if each.state == "dead"]
    if not dead:
        raise lh.Cancel("a range of its pages was cancelled")
    code, message = reason_of(dead[0].error)
    raise Rejected(str(code), f"in a range of its pages: {message}")
