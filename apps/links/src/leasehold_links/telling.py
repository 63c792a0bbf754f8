"""What the log says of enrichments: each claim, each job, and once a minute what fails where."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence

import msgspec

import leasehold as lh
from leasehold_links.model.domains import domain_of
from leasehold_links.tasks import enrich

TOP_DOMAINS = 10
_UNHAPPY = frozenset({"failed", "dead"})
_logger = logging.getLogger("leasehold.links")


class _Arguments(msgspec.Struct):
    turn: str


class EnrichmentLog(lh.Observer):
    """For one worker. No address, title or user gets into the log: domains and reasons do."""

    def __init__(
        self, level: int = logging.INFO, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._level = level  # of claims and jobs; sums are always told
        self._clock = clock
        self._lock = threading.Lock()
        self._since = clock()
        self._outcomes: Counter[str] = Counter()
        self._failures: Counter[str] = Counter()

    def claimed(self, count: int, seconds: float) -> None:
        fields = {"batch_claimed_count": count, "claim_ms": round(seconds * 1000, 1)}
        _logger.log(self._level, "batch claimed", extra=fields)

    def ended_together(self, runs: Sequence[lh.Run]) -> None:
        for run in runs:
            if run.kind == enrich.name:
                self._note(run)

    def summarised(self) -> None:
        """Sum up what has ended since the last time."""
        now = self._clock()
        with self._lock:
            outcomes, self._outcomes = self._outcomes, Counter()
            failures, self._failures = self._failures, Counter()
            seconds, self._since = now - self._since, now
        if not outcomes and self._level < logging.INFO:
            return  # a service has other things to tell
        _logger.info(
            "enrichment summary",
            extra={
                "success_count": outcomes["succeeded"],
                "fail_count": sum(outcomes[each] for each in _UNHAPPY),
                "top_failure_domains": dict(failures.most_common(TOP_DOMAINS)),
                "seconds": round(seconds, 1),
            },
        )

    def _note(self, run: lh.Run) -> None:
        outcome = run.outcome or "lost"
        fields: dict[str, object] = {"job": str(run.id), "outcome": outcome}
        if run.seconds is not None:
            fields["job_duration_ms"] = round(run.seconds * 1000, 1)
        with self._lock:
            self._outcomes[outcome] += 1
            if outcome in _UNHAPPY:
                fields["domain"] = domain = _domain_of(run)
                self._failures[domain] += 1
        _logger.log(self._level, "enrichment ended", extra=fields)


def _domain_of(run: lh.Run) -> str:
    return domain_of(msgspec.json.decode(run.claim.args, type=_Arguments).turn)
