"""Imports: drop a file, watch the bar, read what was left out and why."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from starlette.concurrency import run_in_threadpool

import leasehold as lh
from leasehold.kit.web import Changer
from leasehold.web import Refused
from leasehold_links.bookmarks.values import NotBookmarks
from leasehold_links.data import progress
from leasehold_links.errors import FileTooLarge
from leasehold_links.uploading import cancel_import
from leasehold_links.web.api.imports import ENDED, find_import, take_file
from leasehold_links.web.api.values import CursorQuery, IdPath
from leasehold_links.web.pages.visiting import PAGES, OfVisit, Visit
from leasehold_links.web.problems import PROBLEMS

router = APIRouter(include_in_schema=False)
ROWS = 50


@router.get("/imports")
def show_imports(visit: OfVisit, before: CursorQuery = None) -> Response:
    """Show where to drop a file, and the imports so far."""
    return _imports_page(visit, before)


def _imports_page(
    visit: Visit, before: Any = None, *, refusal: str = "", status: int = 200
) -> Response:
    user_id = visit.person.user_id
    page = visit.library.read(progress.imports_of, user_id, before=before, limit=ROWS)
    return PAGES.render(
        visit,
        "imports.html",
        status=status,
        imports=page.rows,
        next=page.next and visit.link("/imports", before=page.next),
        limit_bytes=visit.library.settings.file_bytes,
        refusal=refusal,
    )


@router.post("/imports")
async def upload(request: Request, visit: OfVisit, person: Changer) -> Response:
    """Take the file of the form; what can't be imported is said on the same page."""
    try:
        import_id = await take_file(request, visit.library, person)
    except (NotBookmarks, FileTooLarge, Refused) as error:
        problem = error.problem if isinstance(error, Refused) else PROBLEMS.tell(error)
        refusal = _refusal(visit, error)
        return await run_in_threadpool(_imports_page, visit, refusal=refusal, status=problem.status)
    return visit.go(f"/imports/{import_id}")


def _refusal(visit: Visit, error: lh.LeaseholdError | Refused) -> str:
    if isinstance(error, FileTooLarge):
        return visit.say("file.too_large", megabytes=error.limit_bytes // 2**20)
    reason = error.reason if isinstance(error, NotBookmarks) else "none"
    return visit.say.known(f"file.{reason}", "file.text")


@router.get("/imports/{import_id}")
def show_import(
    import_id: IdPath,
    visit: OfVisit,
    after: Annotated[int | None, Query(ge=0, le=2**31 - 1)] = None,
) -> Response:
    """Show how an import goes on, and the lines that did not become links."""
    row = find_import(visit.library, visit.person, import_id)
    items, following = visit.library.read(progress.items_of, import_id, after=after, limit=ROWS)
    return PAGES.render(
        visit,
        "import.html",
        of=row,
        is_live=row["status"] not in ENDED,
        error=_error(visit, row["last_error"]) if row["status"] == "failed" else "",
        items=[each | {"why": _why(visit, each["reason"])} for each in items],
        next=following and visit.link(f"/imports/{import_id}", after=following),
    )


def _why(visit: Visit, reason: str) -> str:
    kind, _, rest = reason.partition(":")
    return visit.say.known(f"line.{kind}", "line.other").format(scheme=rest, reason=reason)


def _error(visit: Visit, error: str | None) -> str:
    """Say why an import failed: what we know we say in the reader's language."""
    for reason in ("empty", "binary", "json", "html", "text"):
        if error is not None and str(NotBookmarks(reason)) in error:
            return visit.say(f"file.{reason}")
    return error or ""


@router.post("/imports/{import_id}/cancel")
def cancel(import_id: IdPath, visit: OfVisit, person: Changer) -> Response:
    """Stop an import."""
    cancel_import(visit.library.client, visit.library.database, person.user_id, import_id)
    return visit.go(f"/imports/{import_id}", "cancelling")
