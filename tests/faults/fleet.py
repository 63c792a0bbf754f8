"""Worker processes that are killed, stopped and replaced. Only processes of its own are touched."""

from __future__ import annotations

import json
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tests.faults.forking import EXIT_SECONDS, Forked
from tests.faults.waiting import wait_for
from tests.faults.worker_main import WorkerOptions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Self

ROOT = Path(__file__).parents[2]


@dataclass(slots=True)
class Member:
    """One worker process."""

    name: str
    process: Forked
    log_path: Path
    continue_at: float | None = None  # when it is stopped: until then

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    @property
    def exit_code(self) -> int | None:
        """Negative when a signal ended it."""
        return self.process.poll()

    def send(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def wait(self, seconds: float = EXIT_SECONDS) -> int:
        return self.process.wait(seconds)

    def events(self) -> Iterator[dict[str, Any]]:
        """What it has logged; a line that a kill tore apart is left out."""
        for line in self.log_path.read_text(errors="replace").splitlines():
            if line.startswith("{") and line.endswith("}"):
                yield json.loads(line)


@dataclass(slots=True)
class Fleet:
    """Keeps `size` workers running until the end of a `with`."""

    options: WorkerOptions
    folder: Path
    size: int
    living: list[Member] = field(default_factory=list)
    ended: list[Member] = field(default_factory=list)

    def __enter__(self) -> Self:
        for _ in range(self.size):
            self.add()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for member in self.living:
            if member.is_alive:
                member.process.kill()
            member.wait()

    def add(self) -> Member:
        """Start one more worker."""
        name = f"worker-{len(self.living) + len(self.ended) + 1}"
        options = msgspec.structs.replace(self.options, name=name)
        log_path = self.folder / f"{name}.log"
        with log_path.open("wb") as log:
            words = msgspec.json.encode(options).decode()
            process = Forked("tests.faults.worker_main", words, output=log)
        member = Member(name, process, log_path)
        self.living.append(member)
        return member

    def tend(self) -> list[Member]:
        """Continue those whose stop is over, replace the dead; returns the dead."""
        now = time.monotonic()
        for member in self.living:
            if member.continue_at is not None and now >= member.continue_at:
                member.continue_at = None
                member.send(signal.SIGCONT)
        dead = [member for member in self.living if not member.is_alive]
        for member in dead:
            self.living.remove(member)
            self.ended.append(member)
            self.add()
        return dead

    def kill(self, member: Member) -> None:
        member.process.kill()
        member.wait()

    def pause(self, member: Member, seconds: float) -> None:
        """Stop it where it stands; `tend` continues it."""
        member.send(signal.SIGSTOP)
        member.continue_at = time.monotonic() + seconds

    @property
    def awake(self) -> list[Member]:
        return [each for each in self.living if each.is_alive and each.continue_at is None]

    def stop(self, seconds: float = EXIT_SECONDS) -> list[int]:
        """SIGTERM to all; returns their exit codes."""
        for member in self.living:
            if member.continue_at is not None:
                member.send(signal.SIGCONT)
            member.process.terminate()
        return [member.wait(seconds) for member in self.living]

    def events(self) -> Iterator[dict[str, Any]]:
        for member in (*self.ended, *self.living):
            yield from member.events()

    def count_events(self, event: str) -> int:
        return sum(line["event"] == event for line in self.events())

    def wait_for_exit(self, seconds: float = EXIT_SECONDS) -> None:
        wait_for("end of all workers", lambda: not any(m.is_alive for m in self.living), seconds)
