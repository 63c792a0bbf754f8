"""Runs `leasehold-memory` inside this process, or `run.py` as a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import httpx
from click.testing import CliRunner

import leasehold_memory
from leasehold_memory.cli.program import program

RUN = Path(leasehold_memory.__file__).parents[2] / "run.py"
_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Said:
    """What a run of the program said and came to."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


Run: TypeAlias = Callable[..., Said]


def runner(home: Path) -> Run:
    """Run commands about this home."""

    def run(*words: str, **environment: str) -> Said:
        given = {"LEASEHOLD_MEMORY_HOME": str(home), **environment}
        result = CliRunner().invoke(program, list(words), env=given)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Said(result.exit_code, result.stdout, result.stderr)

    return run


@dataclass(frozen=True, slots=True)
class Served:
    """`run.py`, running."""

    process: subprocess.Popen[bytes]
    told: dict[str, Any]

    @property
    def address(self) -> str:
        return str(self.told["address"])

    def http(self) -> httpx.Client:
        """Return who shows its token."""
        headers = {"Authorization": f"Bearer {self.told['token']}"}
        return httpx.Client(base_url=self.address, headers=headers, timeout=_SECONDS)

    def end(self) -> int:
        """Ask it to end; returns its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(_SECONDS)


@contextmanager
def serve(
    home: Path, *python_options: str, environment: Mapping[str, str] | None = None
) -> Iterator[Served]:
    """Start `run.py` on any port, until the end of the `with`."""
    command = [sys.executable, *python_options, str(RUN)]
    options = ["--home", str(home), "--port", "0", "--json", "--log-level", "warning"]
    process = subprocess.Popen(
        [*command, *options],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **(environment or {})},
        cwd=home.parent,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, "it has ended before it answered"
        yield Served(process, json.loads(line))
    finally:
        process.kill()
        process.communicate()


def say(http: httpx.Client, words: str) -> dict[str, Any]:
    """Say it, and hear the reply to its end; ValueError when there is none."""
    name = ""
    with http.stream("POST", "/api/chat", json={"text": words}) as answer:
        if answer.status_code != httpx.codes.OK:
            raise ValueError(f"status {answer.status_code}")
        for line in answer.iter_lines():
            field_name, _, value = line.partition(": ")
            if field_name == "event":
                name = value
            elif field_name == "data" and name == "done":
                done: dict[str, Any] = json.loads(value)
                return done
    raise ValueError(f"the last event was {name or 'none'}")
