"""Sentry: what failed, without what it was about. Needs the extra `sentry`.

    sentry_sdk.init(dsn, before_send=leasehold.sentry.scrub_event)
    lh.Worker(client, tasks, observers=[leasehold.sentry.Sentry()])

Events of a job, those that its handler sends itself too, carry no arguments, no local variables, no
users, no passwords and no queries of URLs.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

try:
    import sentry_sdk
    from sentry_sdk._types import AnnotatedValue
    from sentry_sdk.utils import event_from_exception
except ImportError as error:
    raise ImportError("Sentry needs the extra: pip install 'leasehold[sentry]'") from error

from leasehold.model.scrubbing import MASK, Scrubber
from leasehold.worker.observing import Observer, Run, Watched

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sentry_sdk._types import Event, Hint

    from leasehold.worker.report import Report

DEAD, FAILED = "dead", "failed"
FLUSH_SECONDS = 2.0
_MECHANISM = {"type": "leasehold", "handled": False}
_SECRET_NAMES = re.compile(
    r"passw|pwd|secret|token|api[_-]?key|authori[sz]ation|credential|cookie|session|csrf|email"
    r"|ip_address|query_string",
    re.IGNORECASE,
)
# Left out whole: local variables, and who was there.
_LEFT_OUT = frozenset({"vars", "user", "request"})
_PLAIN = (int, float, bool, datetime, type(None))


class Sentry(Observer):
    """Captures each death of a job; with `failed=True` each attempt that failed, too.

    Events fall together by the job's kind and the error's class. What the handler notes in its own
    scope, breadcrumbs and tags, goes with them, scrubbed.
    """

    def __init__(self, *, failed: bool = False) -> None:
        self._captured = frozenset({DEAD, FAILED}) if failed else frozenset({DEAD})

    @contextmanager
    def running(self, run: Run) -> Iterator[None]:
        with sentry_sdk.isolation_scope() as scope:
            scope.set_transaction_name(run.kind)
            scope.set_tag("leasehold.kind", run.kind)
            scope.set_tag("leasehold.queue", run.queue)
            scope.set_tag("leasehold.job", str(run.id))
            arguments = run.claim.args
            scope.add_event_processor(lambda event, _hint: scrub_event(event, arguments=arguments))
            yield
            if run.outcome in self._captured:
                _capture(run, scope)

    def closed(self, worker: Watched, report: Report) -> None:  # noqa: ARG002 - an observer's
        sentry_sdk.flush(FLUSH_SECONDS)


def set_up() -> bool:
    """Set Sentry up by the environment unless the program has; whether anything will be sent."""
    if not sentry_sdk.is_initialized():
        sentry_sdk.init(include_local_variables=False, before_send=scrub_event)
    return bool(sentry_sdk.get_client().dsn)


def _capture(run: Run, scope: sentry_sdk.Scope) -> None:
    name, _, text = (run.error or "Error").partition(": ")
    told = {
        "job": str(run.id),
        "attempt": run.attempt,
        "max_attempts": run.claim.max_attempts,
        "outcome": run.outcome,
    }
    scope.set_tag("leasehold.outcome", run.outcome)
    scope.set_context("leasehold", told)
    if run.outcome == DEAD:
        scope.add_breadcrumb(
            category="leasehold", level="error", message=f"job dead: {run.kind}", data=told
        )
    event, hint = _event_of(run, name, text)
    event["fingerprint"] = ["leasehold", run.kind, name]
    scope.capture_event(event, hint=hint)


def _event_of(run: Run, name: str, text: str) -> tuple[Event, dict[str, Any]]:
    """Make the event; an isolated handler's error is its text only."""
    if run.exception is None:
        return {"level": "error", "exception": {"values": [{"type": name, "value": text}]}}, {}
    options = {**sentry_sdk.get_client().options, "include_local_variables": False}
    event, hint = event_from_exception(run.exception, client_options=options, mechanism=_MECHANISM)
    if not run.is_encrypted:
        return event, hint
    for each in event["exception"]["values"]:
        each["value"] = "(encrypted)"  # it may say more than the arguments, which are known
    return event, {}  # a hint has the exception itself


def scrub_event(event: Event, _hint: Hint | None = None, *, arguments: str | None = None) -> Event:
    """Take out of an event what should not leave: for `before_send`, and of jobs by itself."""
    cleaned: Any = _clean(dict(event), Scrubber(arguments))
    return cleaned  # type: ignore[no-any-return]  # the same keys as before, or fewer


def _clean(value: Any, scrub: Scrubber) -> Any:
    if isinstance(value, dict):
        return {
            _clean(key, scrub): MASK if _is_secret(key, each) else _clean(each, scrub)
            for key, each in value.items()
            if key not in _LEFT_OUT
        }
    if isinstance(value, list | tuple):
        return [_clean(each, scrub) for each in value]
    if isinstance(value, AnnotatedValue):
        return AnnotatedValue(_clean(value.value, scrub), value.metadata)
    if isinstance(value, _PLAIN):
        text = str(value)
        return value if scrub(text) == text else MASK  # a number may be an argument, too
    return scrub(_text(value))


def _is_secret(key: object, value: object) -> bool:
    return isinstance(key, str) and value is not None and bool(_SECRET_NAMES.search(key))


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    try:
        return repr(value)
    except Exception:  # noqa: BLE001 - what a handler put there may do anything
        return f"<{type(value).__qualname__}>"
