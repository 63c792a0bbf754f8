"""Pages of jobs for people: what matches few of millions of jobs is not looked for to the end.

No index knows of which queue or kind an ended job is: enqueueing would pay for it. So such a page
is found by walking back through the jobs, for as long as people like to wait; the rest is another.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec

from leasehold.errors import BadOption
from leasehold.model.ids import JobId
from leasehold.model.values import Job

if TYPE_CHECKING:
    from leasehold.model.values import Filter
    from leasehold.store.base import Store

LOOK_SECONDS = 0.1
FIRST_LOOK, LARGEST_LOOK = 2_000, 32_000  # jobs in one statement


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """Some jobs, newest first, and what to pass as `before` for those after them; None at the end.

    `is_cut` when it was not looked further for the time it takes: there may be more.
    """

    jobs: list[Job]
    before: JobId | None = None
    is_cut: bool = False


def read_page(store: Store, where: Filter, *, limit: int, before: JobId | None) -> Page:
    """Look until the page is full, nothing is left, or it has taken a while."""
    if limit < 1:
        raise BadOption(f"limit: {limit!r} is not a positive number")
    if not _may_be_rare(where):
        return _page(store.find(where, before=before, limit=limit + 1), limit)
    found: list[Job] = []
    look, deadline = FIRST_LOOK, time.monotonic() + LOOK_SECONDS
    while True:
        floor = store.floor(where, before=before, count=look)
        rest = limit + 1 - len(found)
        found += store.find(where, before=before, limit=rest, above=floor)
        if floor is None or len(found) > limit:
            return _page(found, limit)
        if time.monotonic() >= deadline:
            return Page(jobs=found, before=floor, is_cut=True)
        before, look = floor, min(LARGEST_LOOK, look * 2)


def _may_be_rare(where: Filter) -> bool:
    is_narrow = where.queue is not None or where.kind is not None or where.tenant is not None
    return is_narrow and where.batch is None and where.key is None


def _page(found: list[Job], limit: int) -> Page:
    """One more than the page was asked for: it tells whether there is a next one."""
    if len(found) <= limit:
        return Page(jobs=found)
    return Page(jobs=found[:limit], before=found[limit - 1].id)
