"""Cancels, retries or deletes many jobs: those that are ticked, or all that the filters name.

It asks first, with the number of jobs it would change: counted, not guessed, up to a limit.
"""

from __future__ import annotations

from collections.abc import Callable, Sized
from typing import TYPE_CHECKING, TypeAlias

from leasehold.acting import record, who
from leasehold.bulk import CANCEL, DELETE, RETRY, Bulk
from leasehold.checking import read_job_id
from leasehold.errors import BadOption
from leasehold.model.wording import count
from leasehold.web.dashboard.filters import filters_said, in_words
from leasehold.web.dashboard.looks import WHO, Done, Look, Question
from leasehold.web.dashboard.sections import Section

if TYPE_CHECKING:
    from leasehold.client import Client
    from leasehold.filtering import Filters
    from leasehold.model.ids import JobId
    from leasehold.model.states import State

MOST_COUNTED = 10_000  # some tenths of a second; more are counted by `leasehold jobs`
MOST_CHANGED = 10_000  # in one request; the answer says how many are left
section = Section()

Many: TypeAlias = Callable[..., Bulk]
_VERBS = {verb.name: verb for verb in (RETRY, CANCEL, DELETE)}
_PAST = {"retry": "made ready", "cancel": "cancelled", "delete": "deleted"}


def verbs_for(state: State | None) -> list[str]:
    """Name what can be done to jobs in a state."""
    return [name for name, verb in _VERBS.items() if state is None or state in verb.states]


@section.action("/jobs/bulk", for_tenants=True)
def change(look: Look) -> Done | Question:
    """Do it, once it is confirmed."""
    verb = look.said("verb")
    if verb not in _VERBS:
        raise BadOption(f"verb: {verb!r} is not one of {', '.join(_VERBS)}")
    if look.said("whom") == "ticked":
        return _change_ticked(look, verb)
    return _change_named(look, verb)


def _change_ticked(look: Look, verb: str) -> Done | Question:
    job_ids = [read_job_id(each) for each in look.form.get("job", ())]
    if not job_ids:
        return Done(text="Tick the jobs first.", level="warning")
    if not look.said("confirm"):
        return _question(verb, f"{count(len(job_ids), 'ticked job')}", "")
    changed = len(_change(look.client, verb, job_ids))
    named = " ".join(map(str, job_ids))
    record(look.client.store, f"jobs.{verb}", "ticked", by=WHO, count=changed, jobs=named)
    left = len(job_ids) - changed
    rest = f" {count(left, 'job was', 'jobs were')} not in a state for it." if left else ""
    return Done(text=f"{count(changed, 'job')} {_PAST[verb]}.{rest}")


def _change(client: Client, verb: str, job_ids: list[JobId]) -> Sized:
    store = client.store
    match verb:
        case "retry":
            return store.retry_many(job_ids)
        case "delete":
            return store.delete_many(job_ids)
    states = store.cancel_many(job_ids, by=who(WHO))
    store.follow_up([job_id for job_id, state in states.items() if state and state.is_final])
    return states


def _change_named(look: Look, verb: str) -> Done | Question:
    filters = filters_said(look)
    if not look.said("confirm"):
        found = _many(look.client, verb, filters, limit=MOST_COUNTED, dry_run=True).matched
        if found == 0:
            return Done(text=f"There are no {in_words(filters)} to {verb}.", level="warning")
        amount = f"over {found - 1:,}" if found == MOST_COUNTED else f"all {found:,}"
        return _question(verb, f"{amount} {in_words(filters)}", _more(found))
    done = _many(look.client, verb, filters, limit=MOST_CHANGED, dry_run=False)
    more = " There may be more: do it again." if done.matched == MOST_CHANGED else ""
    return Done(text=f"{count(done.changed, 'job')} {_PAST[verb]}.{more}")


def _more(found: int) -> str:
    if found < MOST_COUNTED:
        return "Counted just now; what the filters name when you confirm is what is changed."
    return f"The newest {MOST_CHANGED:,} now. The command line does any number: leasehold jobs."


def _many(client: Client, verb: str, filters: Filters, *, limit: int, dry_run: bool) -> Bulk:
    match verb:
        case "retry":
            return client.retry_many(limit=limit, dry_run=dry_run, **filters)
        case "delete":
            return client.delete_many(limit=limit, dry_run=dry_run, **filters)
    return client.cancel_many(by=WHO, limit=limit, dry_run=dry_run, **filters)


def _question(verb: str, whom: str, detail: str) -> Question:
    return Question(
        text=f"{verb.capitalize()} {whom}?",
        button=f"{verb.capitalize()} jobs",
        detail="Deleted jobs and their history can't be brought back."
        if verb == "delete"
        else detail,
        is_dangerous=verb != "retry",
    )
