"""The last things that were logged, for who watches: events with fields, and no memory's text."""

from __future__ import annotations

import logging
from collections import deque
from datetime import UTC, datetime
from typing import Any

_LOGGERS = ("leasehold", "leasehold_memory")
_KEPT = 100
_LONGEST = 500  # characters of a field
_PLAIN = frozenset(vars(logging.makeLogRecord({})))  # what every record has


class Logs(logging.Handler):
    """Keeps the last records of the library and of the application."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self._kept: deque[dict[str, Any]] = deque(maxlen=_KEPT)

    def start(self) -> None:
        for name in _LOGGERS:
            logging.getLogger(name).addHandler(self)

    def stop(self) -> None:
        """Safe twice."""
        for name in _LOGGERS:
            logging.getLogger(name).removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        said = {name: value for name, value in vars(record).items() if name not in _PLAIN}
        self._kept.append(
            {
                "at": datetime.fromtimestamp(record.created, UTC).isoformat(),
                "level": record.levelname.lower(),
                "event": record.getMessage()[:_LONGEST],
                "fields": {name: str(value)[:_LONGEST] for name, value in said.items()},
            }
        )

    def records(self) -> list[dict[str, Any]]:
        """Return the last records, the oldest first."""
        return list(self._kept.copy())
