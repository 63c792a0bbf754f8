"""The trace that work is part of, on its way from an enqueue to its job.

A job carries the W3C context of its enqueue as one text: `traceparent`, and behind a blank
`tracestate` if there is one. Nothing here imports OpenTelemetry: where the program has not done so,
nobody traces, and one look into a dictionary is all that is paid.
"""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from msgspec import structs

from leasehold._version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from opentelemetry.trace import Span, SpanContext, Tracer, TracerProvider

    from leasehold.model.values import NewJob

API = "opentelemetry.trace"
SYSTEM = "leasehold"
_PARENT = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})")
_LONGEST_STATE = 512


def is_traced() -> bool:
    """Whether this program has OpenTelemetry loaded."""
    return API in sys.modules


def write_trace(context: SpanContext) -> str | None:
    """Write a span's context down; None when it is none."""
    if not context.is_valid:
        return None
    parent = f"00-{context.trace_id:032x}-{context.span_id:016x}-{int(context.trace_flags):02x}"
    state = context.trace_state.to_header() if context.trace_state else ""
    return f"{parent} {state}" if 0 < len(state) <= _LONGEST_STATE else parent


def read_trace(trace: str | None) -> SpanContext | None:
    """Read it back; None when it is not what it should be: anybody may have written it."""
    parent, _, state = (trace or "").partition(" ")
    found = _PARENT.fullmatch(parent)
    if found is None:
        return None
    from opentelemetry.trace import SpanContext, TraceFlags, TraceState

    context = SpanContext(
        trace_id=int(found[1], 16),
        span_id=int(found[2], 16),
        is_remote=True,
        trace_flags=TraceFlags(int(found[3], 16) & TraceFlags.SAMPLED),
        trace_state=TraceState.from_header([state]) if state else None,
    )
    return context if context.is_valid else None


def current_trace() -> str | None:
    """Return the context of the span that is current here."""
    if not is_traced():
        return None
    from opentelemetry.trace import get_current_span

    return write_trace(get_current_span().get_span_context())


@contextmanager
def continuing(trace: str | None) -> Iterator[None]:
    """Let spans that are begun meanwhile be part of that trace, if anybody traces here."""
    context = read_trace(trace) if trace is not None and is_traced() else None
    if context is None:
        yield
        return
    from opentelemetry.trace import NonRecordingSpan, use_span

    with use_span(NonRecordingSpan(context), record_exception=False):
        yield


# -- enqueue ---------------------------------------------------------------------------------------
@contextmanager
def producing(jobs: Sequence[NewJob]) -> Iterator[Sequence[NewJob]]:
    """Surround the writing of jobs by a span, and have them carry it."""
    span = begin_producing(jobs)
    with ending(span):
        yield carrying(jobs, span)


def begin_producing(jobs: Sequence[NewJob]) -> Span:
    """Begin a span for writing these jobs: one, however many they are."""
    from opentelemetry.trace import SpanKind, get_tracer_provider

    queues = {job.queue or "default" for job in jobs}
    name = f"send {queues.pop()}" if len(queues) == 1 else "send"
    tracer = _tracer(get_tracer_provider())
    return tracer.start_span(name, kind=SpanKind.PRODUCER, attributes=_attributes(jobs))


def carrying(jobs: Sequence[NewJob], span: Span) -> Sequence[NewJob]:
    """Let the jobs carry the span's context, but those that have another one."""
    trace = write_trace(span.get_span_context())
    if trace is None:
        return jobs
    return [job if job.trace is not None else structs.replace(job, trace=trace) for job in jobs]


@contextmanager
def ending(span: Span) -> Iterator[None]:
    """End the span; an error is told by its class, since its text may hold arguments."""
    from opentelemetry.trace import Status, StatusCode

    try:
        yield
    except BaseException as error:
        span.set_status(Status(StatusCode.ERROR, type(error).__name__))
        span.set_attribute("error.type", type(error).__qualname__)
        raise
    finally:
        span.end()


def producing_begun(
    begin: Callable[[Sequence[NewJob]], Callable[[], Any]], jobs: Sequence[NewJob]
) -> Callable[[], Any]:
    """Begin to write; the span ends with the answer."""
    span = begin_producing(jobs)
    try:
        finish = begin(carrying(jobs, span))
    except BaseException:
        with ending(span):
            raise

    def finished() -> Any:
        with ending(span):
            return finish()

    return finished


def _attributes(jobs: Sequence[NewJob]) -> dict[str, Any]:
    queues, kinds = {job.queue for job in jobs}, {job.kind for job in jobs}
    found: dict[str, Any] = {
        "messaging.system": SYSTEM,
        "messaging.operation.name": "send",
        "messaging.operation.type": "send",
    }
    if len(queues) == 1 and (queue := queues.pop()) is not None:
        found["messaging.destination.name"] = queue
    if len(kinds) == 1:
        found["leasehold.kind"] = kinds.pop()
    if len(jobs) == 1:
        found["messaging.message.id"] = str(jobs[0].id)
    else:
        found["messaging.batch.message_count"] = len(jobs)
    return found


@lru_cache(maxsize=4)
def _tracer(provider: TracerProvider) -> Tracer:
    return provider.get_tracer(SYSTEM, __version__)


def tracer() -> Tracer:
    """Return our tracer of the provider that holds now."""
    from opentelemetry.trace import get_tracer_provider

    return _tracer(get_tracer_provider())
