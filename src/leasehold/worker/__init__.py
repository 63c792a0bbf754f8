"""The worker: claims jobs, runs their handlers, keeps their leases and settles them.

claimer ──claims──> runners ──outcomes──> finisher        each with a thread and a
   ^                  │  ^                    │           connection of its own
   └──── room ────────┘  └─ interrupts ─ watch┘
                 renewer keeps the leases of all of it
"""

from leasehold.worker.observing import Observer, Run, Watched
from leasehold.worker.report import Reason, Report
from leasehold.worker.running_job import RunningJob, current_job
from leasehold.worker.worker import Worker

__all__ = [
    "Observer",
    "Reason",
    "Report",
    "Run",
    "RunningJob",
    "Watched",
    "Worker",
    "current_job",
]
