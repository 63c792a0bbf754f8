"""Where alerts are told: the log, and a command. See also `webhook` and `mail`."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import msgspec

from leasehold.errors import LeaseholdError

if TYPE_CHECKING:
    from leasehold.alerting.events import Event

TIMEOUT_SECONDS = 10.0
_logger = logging.getLogger("leasehold.alerts")
_LEVELS = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


class SinkFailed(LeaseholdError):
    """An alert could not be told; `may_retry` is False where trying again is in vain."""

    def __init__(self, reason: str, *, may_retry: bool = True) -> None:
        super().__init__(reason)
        self.may_retry = may_retry


class Sink(Protocol):
    """Tells one event, within its own time limit. `SinkFailed` when that did not work.

    Its message must hold no secret: it is logged.
    """

    def send(self, event: Event) -> None: ...


@dataclass(frozen=True, slots=True)
class LogSink:
    """Logs it under `leasehold.alerts`: a warning or an error, and at its end an info."""

    def send(self, event: Event) -> None:
        fields = {
            "alert": event.name,
            "subject": event.subject,
            "value": event.value,
            "limit": event.limit,
            "since": event.since,
            "text": event.text,
        }
        _logger.log(_LEVELS[event.level], "alert %s", event.state, extra=fields)


@dataclass(frozen=True, slots=True)
class CommandSink:
    """Starts a program, without a shell, with the event as JSON on its standard input."""

    argv: tuple[str, ...]
    timeout_seconds: float = TIMEOUT_SECONDS

    def send(self, event: Event) -> None:
        try:
            process = subprocess.Popen(  # noqa: S603 - what the operator configured  # nosec B603
                self.argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise SinkFailed(f"can't start {self.argv[0]}: {error.strerror}") from error
        with process:
            self._await(process, msgspec.json.encode(event))
        if process.returncode != 0:
            raise SinkFailed(f"{self.argv[0]} exited with code {process.returncode}")

    def _await(self, process: subprocess.Popen[bytes], document: bytes) -> None:
        try:
            process.communicate(document, timeout=self.timeout_seconds)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # with whatever it has started
            raise SinkFailed(
                f"{self.argv[0]} did not end within {self.timeout_seconds:g} s"
            ) from None
