"""Log lines of `leasehold work`, on stderr: events with their fields, for people or as JSON."""

from __future__ import annotations

import json
import logging
import sys
import time
from datetime import UTC, datetime
from typing import Any

from leasehold.model.scrubbing import scrub

# Whatever else a record carries came in through `extra`: the fields of the event.
_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class ConsoleFormatter(logging.Formatter):
    """`08:15:30 WARNING lease lost job=0190…`."""

    def format(self, record: logging.LogRecord) -> str:
        clock = time.strftime("%H:%M:%S", time.localtime(record.created))
        fields = "".join(f" {name}={_word(value)}" for name, value in fields_of(record).items())
        return f"{clock} {record.levelname:<7} {record.getMessage()}{fields}{_trace(self, record)}"


class JsonFormatter(logging.Formatter):
    """One object for each event; the time is UTC."""

    def format(self, record: logging.LogRecord) -> str:
        said: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
            **fields_of(record),
        }
        trace = _trace(self, record).strip()
        return json.dumps(said | {"traceback": trace} if trace else said, default=str)


def fields_of(record: logging.LogRecord) -> dict[str, Any]:
    """Return what the event carries beside its name; no password gets out by mistake."""
    carried = {name: value for name, value in vars(record).items() if name not in _OWN}
    return {n: scrub(value) if isinstance(value, str) else value for n, value in carried.items()}


def is_event(record: logging.LogRecord) -> bool:
    """Whether it is more than a request that went well, of which httpx tells at info."""
    return record.name != "httpx" or record.levelno > logging.INFO


def set_up_logging(level: str, style: str) -> None:
    """Send everything from `level` on to stderr, of each request that is sent only at debug."""
    handler = logging.StreamHandler(sys.stderr)
    if level.lower() != "debug":
        handler.addFilter(is_event)
    handler.setFormatter(JsonFormatter() if style == "json" else ConsoleFormatter())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)


def _word(value: object) -> str:
    text = str(value)
    return json.dumps(text, ensure_ascii=False) if not text or " " in text else text


def _trace(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    return "\n" + scrub(formatter.formatException(record.exc_info)) if record.exc_info else ""
