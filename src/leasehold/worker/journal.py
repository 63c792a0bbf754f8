"""What a worker says of its jobs in the log: events with fields, never arguments unless asked for.

Each job and each claim is an event at DEBUG, so that nothing is paid where that is off; what failed
is a warning. Once a minute, and at the end, one event sums up.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from typing import TYPE_CHECKING

from leasehold.model.envelopes import shown_text
from leasehold.model.scrubbing import cut, scrub

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.model.values import Settlement
    from leasehold.worker.attempt import Attempt
    from leasehold.worker.observing import Observing
    from leasehold.worker.report import Tally

SUMMARY_SECONDS = 60.0
TOP_KINDS = 5
ARGUMENTS_LIMIT = 200
UNHAPPY = frozenset({"failed", "dead"})
_logger = logging.getLogger("leasehold.worker")


class Journal:
    """Written by the claimer and the finisher, each its own part."""

    def __init__(
        self,
        worker: str,
        tally: Tally,
        *,
        shows_arguments: bool = False,
        observing: Observing | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._worker = worker
        self._tally = tally
        self._shows_arguments = shows_arguments
        self._observing = observing
        self._clock = clock
        self._since = clock()
        self._told = (0, 0)
        self._failures: Counter[str] = Counter()

    @property
    def is_close(self) -> bool:
        """Whether anybody listens to each job."""
        return _logger.isEnabledFor(logging.DEBUG)

    def claimed(self, count: int) -> None:
        if self.is_close:
            _logger.debug("batch claimed", extra={"batch_claimed_count": count})

    def ended(self, attempt: Attempt, ended: Settlement) -> None:
        """Say how an attempt ended: a warning when it did not end well."""
        level = logging.DEBUG
        if ended.outcome in UNHAPPY:
            self._failures[attempt.claim.kind] += 1
            level = logging.WARNING
        if _logger.isEnabledFor(level):
            _logger.log(level, "job %s", ended.outcome, extra=self._fields(attempt, ended))

    def _fields(self, attempt: Attempt, ended: Settlement) -> dict[str, object]:
        claim = attempt.claim
        fields: dict[str, object] = {
            "job": str(ended.job_id),
            "kind": claim.kind,
            "queue": claim.queue,
            "attempt": claim.attempt,
        }
        shows_arguments = self._shows_arguments and attempt.seal is None
        if ended.elapsed_seconds is not None:
            fields["job_duration_ms"] = round(ended.elapsed_seconds * 1000, 1)
        if ended.error is not None:
            hidden = None if shows_arguments else claim.args
            fields["error"] = scrub(shown_text(ended.error) or "", hidden)
        if shows_arguments:
            fields["arguments"] = cut(claim.args, ARGUMENTS_LIMIT)
        return fields

    def summarise(self) -> None:
        """Sum up what was settled since the last time."""
        now = self._clock()
        succeeded = self._tally["succeeded"]
        failed = self._tally["failed"] + self._tally["dead"]
        failures, self._failures = self._failures, Counter()
        _logger.info(
            "worker summary",
            extra={
                "worker": self._worker,
                "seconds": round(now - self._since, 1),
                "success_count": succeeded - self._told[0],
                "fail_count": failed - self._told[1],
                "top_failure_kinds": dict(failures.most_common(TOP_KINDS)),
            },
        )
        self._since, self._told = now, (succeeded, failed)
        if self._observing is not None:
            self._observing.tell("summarised")
