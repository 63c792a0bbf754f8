"""Batches: how far each is, its members as a drawing, cancel and retry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.model.batches import BatchStatus
from leasehold.model.wording import count
from leasehold.web.dashboard.drawing import draw_batch
from leasehold.web.dashboard.looks import WHO, Done, Look, Page, Question
from leasehold.web.dashboard.sections import Section

if TYPE_CHECKING:
    from leasehold.model.batches import BatchInfo

PAGE = 30
MOST_NESTED = 50
section = Section()


@section.page("/batches", for_tenants=True)
def show(look: Look) -> Page:
    """List batches, newest first."""
    status, name = look.asked("status") or None, look.asked("name") or None
    before = look.asked("before") or None
    found = look.client.batches.list(status=status, name=name, before=before, limit=PAGE + 1)
    older = None
    if len(found) > PAGE:
        older = look.link("/batches", status=status, name=name, before=found[PAGE - 1].id)
    values = {
        "batches": found[:PAGE],
        "older": older,
        "status": status,
        "name": name,
        "statuses": list(BatchStatus),
    }
    return Page(template="batches.html", title="Batches", values=values)


@section.page("/batches/{batch_id}", for_tenants=True)
def show_one(look: Look) -> Page:
    """Show a batch, its nested ones, and how its members wait for each other."""
    batch = look.client.batches.get(look.params["batch_id"])
    values = {
        "batch": batch,
        "nested": look.client.batches.list(parent=batch.id, limit=MOST_NESTED),
        "drawing": draw_batch(look.client, batch.id),
        "can_retry": batch.counts.dead + batch.counts.cancelled > 0,
        "can_cancel": not batch.status.is_final and batch.status is not BatchStatus.CANCELLING,
        "can_seal": batch.status is BatchStatus.OPEN,
    }
    return Page(template="batch.html", title=_title(batch), values=values)


def _title(batch: BatchInfo) -> str:
    return batch.name or f"Batch {str(batch.id)[-8:]}"


@section.action("/batches/{batch_id}/cancel", for_tenants=True)
def cancel(look: Look) -> Done | Question:
    """Cancel all members that have not ended."""
    batch = look.client.batches.get(look.params["batch_id"])
    if not look.said("confirm"):
        left = batch.counts.total - batch.counts.ended
        return Question(
            text=f"Cancel {count(left, 'member')} of this batch?",
            button="Cancel the batch",
            detail="Nested batches too. Running members are told to stop.",
            is_dangerous=True,
        )
    done = look.client.batches.cancel(batch.id, by=WHO)
    return Done(text=f"The batch is {done.status}.")


@section.action("/batches/{batch_id}/retry", for_tenants=True)
def retry(look: Look) -> Done | Question:
    """Run its dead and cancelled members anew."""
    batch = look.client.batches.get(look.params["batch_id"])
    if not look.said("confirm"):
        unhappy = batch.counts.dead + batch.counts.cancelled
        return Question(
            text=f"Run {count(unhappy, 'dead or cancelled member')} again?",
            button="Retry",
            detail="The batch is opened for it; when all have ended its callbacks are made again.",
        )
    done = look.client.batches.retry_failed(batch.id)
    return Done(text=f"The batch is {done.status}, round {done.round}.")


@section.action("/batches/{batch_id}/seal", for_tenants=True)
def seal(look: Look) -> Done:
    """Let it end with its last member."""
    done = look.client.batches.seal(look.params["batch_id"])
    return Done(text=f"The batch is {done.status}.")
