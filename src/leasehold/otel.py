"""OpenTelemetry: a span for each attempt, linked to its enqueue. Needs the extra `otel`.

    lh.Worker(client, tasks, observers=[leasehold.otel.Tracing()])

Enqueues have spans as soon as the program has a tracer provider, without this; see `tracing.py`.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

try:
    from opentelemetry import context as contexts
    from opentelemetry import trace as api
except ImportError as error:
    raise ImportError("tracing needs the extra: pip install 'leasehold[otel]'") from error

from leasehold.model.scrubbing import frames_of, scrub
from leasehold.tracing import SYSTEM, read_trace, tracer
from leasehold.worker.observing import Observer, Run

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

UNHAPPY = frozenset({"failed", "dead"})


class Tracing(Observer):
    """A consumer span for each attempt.

    It begins a trace of its own and links to the enqueue's, as the conventions for messaging have
    it: a job may run hours later, a hundred times, for one short request. `continues=True` makes it
    a child of the enqueue's span instead, in the same trace; a collection of kinds, only of those.
    """

    def __init__(self, *, continues: bool | Collection[str] = False) -> None:
        self._continues = continues

    def _is_child(self, kind: str) -> bool:
        return self._continues if isinstance(self._continues, bool) else kind in self._continues

    @contextmanager
    def running(self, run: Run) -> Iterator[None]:
        producer = read_trace(run.claim.trace)
        links = [] if producer is None else [api.Link(producer)]
        parent = contexts.Context()  # none: whatever is current here is not the job's
        if producer is not None and self._is_child(run.kind):
            parent, links = api.set_span_in_context(api.NonRecordingSpan(producer), parent), []
        with tracer().start_as_current_span(
            f"process {run.kind}",
            parent,
            kind=api.SpanKind.CONSUMER,
            attributes=_attributes(run),
            links=links,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            yield
            _note_end(span, run)


def _attributes(run: Run) -> dict[str, Any]:
    found: dict[str, Any] = {
        "messaging.system": SYSTEM,
        "messaging.operation.name": "process",
        "messaging.operation.type": "process",
        "messaging.destination.name": run.queue,
        "messaging.message.id": str(run.id),
        "leasehold.kind": run.kind,
        "leasehold.attempt": run.attempt,
        "leasehold.max_attempts": run.claim.max_attempts,
    }
    if run.claim.tenant:
        found["leasehold.tenant"] = run.claim.tenant
    if run.claim.batch is not None:
        found["leasehold.batch"] = str(run.claim.batch)
    return found


def _note_end(span: api.Span, run: Run) -> None:
    """Say how it ended: an error with its class, where it was raised, and its text, scrubbed."""
    span.set_attribute("leasehold.outcome", run.outcome or "")
    if run.outcome not in UNHAPPY or not span.is_recording():
        return
    kind, _, text = (run.error or "Error").partition(": ")
    span.set_status(api.Status(api.StatusCode.ERROR, kind))
    span.set_attribute("error.type", kind)
    event = {"exception.type": kind, "exception.message": scrub(text, run.claim.args)}
    if run.exception is not None:
        event["exception.stacktrace"] = frames_of(run.exception)
    span.add_event("exception", event)
