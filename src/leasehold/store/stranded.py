"""What `leasehold doctor` says of jobs that may wait for ever; each store counts them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from leasehold.model.values import Finding


def stranded(counted: Iterable[tuple[Any, ...]]) -> Iterator[Finding]:
    """Read the rows of stranded.sql: what they wait for, its name, and how many."""
    for what, name, number in counted:
        if number == 0:
            continue
        jobs = "1 job waits" if number == 1 else f"{number:,} jobs wait"
        match what:
            case "throttle":
                yield _warning(
                    "throttles",
                    f"{jobs} for throttle {name}, which nobody has declared: none of its jobs "
                    "may start",
                    f"start a worker whose code has it, or: leasehold throttles set {name} "
                    "--running 10",
                )
            case "queue":
                yield _warning(
                    "paused queues",
                    f"{jobs} in {name}, which has been paused for over an hour",
                    f"if that was forgotten: leasehold queues resume {name}",
                )
            case "batch":
                yield _warning(
                    "batches",
                    f"{number:,} sealed for over a minute, with nothing alive, and not ended",
                    "a running worker ends them within moments",
                )
            case "open batch":
                yield _warning(
                    "batches",
                    f"{number:,} open for over a day, with nothing alive: they do not end so",
                    f"if the seal was forgotten: leasehold batches seal {name}",
                )
            case "needs":
                yield _warning(
                    "dependencies",
                    f"{jobs} for others that have failed or are gone, and will not come by itself",
                    f"retry those, or cancel it: leasehold why {name}",
                )
            case _:
                yield _warning(
                    "keys",
                    f"{jobs} behind another one of the same key that runs no more",
                    "a running worker lets them go within moments",
                )


def _warning(topic: str, message: str, remedy: str) -> Finding:
    return Finding(level="warning", topic=topic, message=message, remedy=remedy)
