"""One worker process: `python -m bench.work URL CREW`, the crew as JSON.

It says "ready" when all is imported, starts when it reads a line, and works until SIGTERM. When the
worker complains it ends at once, with the complaint as its last line.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from contextlib import ExitStack

import msgspec

import leasehold as lh
import leasehold.worker
from bench.crew import Crew
from bench.tasks import TASKS
from leasehold.worker import caretaker


class Complaint(logging.Handler):
    """Ends the process when the worker warns of anything: such a run does not count.

    A job that fails is a warning too: that one is wanted, and its logging is part of the cost.
    """

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if message != "job failed":
            error = getattr(record, "error", None) or (record.exc_info or (None, None))[1]
            print(f"{message}: {error}", flush=True)
            os._exit(1)


def main() -> None:
    url, crew = sys.argv[1], msgspec.json.decode(sys.argv[2], type=Crew)
    if crew.first_keep_seconds is not None:
        caretaker.FIRST_KEEP_SECONDS = crew.first_keep_seconds
    logging.getLogger("leasehold").addHandler(Complaint(logging.WARNING))
    # The others may be done with all jobs before this one has begun.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with lh.Client(url) as client:
        workers = [make_worker(client, crew) for _ in range(crew.workers)]
        client.store  # noqa: B018 - opening it imports the driver; it connects when it is used
        print("ready", flush=True)
        sys.stdin.readline()
        work(workers)


def make_worker(client: lh.Client, crew: Crew) -> leasehold.worker.Worker:
    tasks = [TASKS[kind] for kind in crew.kinds]
    return lh.Worker(client, tasks, queues=crew.queues or None, slots=crew.slots)


def work(workers: list[leasehold.worker.Worker]) -> None:
    """Run the only worker as a process of its own, or several embedded in this one."""
    if len(workers) == 1:
        workers[0].run()
        return
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})  # inherited by their threads
    with ExitStack() as stack:
        for worker in workers:
            stack.enter_context(worker)
        print("started", flush=True)
        signal.sigwait({signal.SIGTERM})


if __name__ == "__main__":
    main()
