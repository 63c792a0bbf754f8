"""A worker in a process of its own: `python -m tests.faults.worker_main '{"url": …}'`.

Its log, one JSON object a line, goes to stderr; the last line is its report.
"""

from __future__ import annotations

import json
import logging
import sys
from importlib import import_module

import msgspec

import leasehold as lh

_USUAL_FIELDS = vars(logging.makeLogRecord({})).keys()


class WorkerOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker process is started with."""

    url: str
    name: str = "worker"
    tasks: str = "tests.faults.tasks"
    slots: int = 8
    lease: float = 2.0
    poll: float = 0.2
    grace: float = 5.0
    queues: list[str] | None = None


class JsonLines(logging.Formatter):
    """Events with their fields, so that the campaign can count them."""

    def format(self, record: logging.LogRecord) -> str:
        extra = {key: str(value) for key, value in vars(record).items() if key not in _USUAL_FIELDS}
        line = {"at": record.created, "event": record.getMessage(), **extra}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line)


def main() -> int:
    options = msgspec.json.decode(sys.argv[1], type=WorkerOptions)
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    worker = lh.Worker(
        lh.Client(options.url),
        import_module(options.tasks),
        queues=options.queues,
        slots=options.slots,
        lease=options.lease,
        poll=options.poll,
        grace=options.grace,
        name=options.name,
    )
    report = worker.run()
    summary = {"succeeded": report.succeeded, "released": report.released, "lost": report.lost}
    logging.getLogger("faults").warning("report", extra={"reason": report.reason, **summary})
    return report.exit_code


if __name__ == "__main__":
    sys.exit(main())
