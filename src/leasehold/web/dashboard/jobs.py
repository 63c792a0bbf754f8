"""The list of jobs: filtered, searched, page by page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leasehold.checking import read_job_id
from leasehold.model.states import State
from leasehold.web.dashboard.bulk import verbs_for
from leasehold.web.dashboard.filters import WORDS, filters_of
from leasehold.web.dashboard.looks import Look, Moved, Page
from leasehold.web.dashboard.searching import find_by_id, find_by_text, read_beginning
from leasehold.web.dashboard.sections import Section

if TYPE_CHECKING:
    from leasehold.filtering import Filters

PAGE = 50
section = Section()


@section.page("/jobs", for_tenants=True)
def show(look: Look) -> Page | Moved:
    """List jobs, newest first; a search for an id goes to its job."""
    filters = filters_of(look)
    wanted = look.asked("q")
    if wanted:
        return _search(look, wanted, filters)
    before = look.asked("before") or None
    found = look.client.page(limit=PAGE, before=before, **filters)
    older = None if found.before is None else _older(look, found.before)
    return _page(look, filters, jobs=found.jobs, older=older, is_cut=found.is_cut)


def _search(look: Look, wanted: str, filters: Filters) -> Page | Moved:
    beginning = read_beginning(wanted)
    if beginning is not None:
        jobs = find_by_id(look.client, *beginning, limit=PAGE)
        if len(jobs) == 1:
            return Moved(look.link(f"/jobs/{jobs[0].id}"))
        batch = None if jobs else _batch(look, wanted)
        if batch is not None:
            return batch
        if jobs:
            return _page(look, filters, jobs=jobs, older=None, is_live=False)
    before = look.asked("before")
    found = find_by_text(
        look.client,
        wanted,
        limit=PAGE,
        before=read_job_id(before, name="before") if before else None,
        **filters,
    )
    older = None if found.goes_on is None else _older(look, found.goes_on)
    return _page(look, filters, jobs=found.jobs, older=older, seen=found.seen, is_live=False)


def _batch(look: Look, wanted: str) -> Moved | None:
    try:
        batch_id = read_job_id(wanted)
    except ValueError:
        return None
    if look.client.store.get_batch(batch_id) is None:
        return None
    return Moved(look.link(f"/batches/{batch_id}"))


def _page(look: Look, filters: Filters, *, is_live: bool = True, **values: Any) -> Page:
    state = filters.get("state")
    workers = look.client.workers() if look.tenant is None else []
    known: dict[str, Any] = {
        "known": {
            "queue": sorted({queue for worker in workers for queue in worker.queues}),
            "kind": sorted({kind for worker in workers for kind in worker.kinds}),
        },
        "filters": filters,
        "words": WORDS,
        "wanted": look.asked("q"),
        "before": look.asked("before"),
        "newest": _without(look, "before"),
        "tabs": [(each, _with(look, state=each)) for each in (None, *State)],
        "verbs": verbs_for(None if state is None else State(state)),
        "seen": None,
        "is_cut": False,
    }
    return Page(template="jobs.html", title="Jobs", values=known | values, is_live=is_live)


def _older(look: Look, before: object) -> str:
    return _with(look, before=before, keep_place=True)


def _without(look: Look, *words: str) -> str:
    return look.link(
        "/jobs", **{name: each for name, each in look.query.items() if name not in words}
    )


def _with(look: Look, *, keep_place: bool = False, **changes: object) -> str:
    query: dict[str, object] = dict(look.query)
    if not keep_place:
        query.pop("before", None)
    return look.link("/jobs", **(query | changes))
