"""Schemathesis against a real server: `python -m tests.web.fuzzing [URL] [--examples 40]`.

Without a URL it runs on a new SQLite file. The server has an embedded worker, and half of the
requests are about jobs, batches, queues and schedules that are there.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from leasehold.client import Client
from tests.web.serving import served
from tests.web.tasks import add, fail

FOLDER = Path(__file__).parent
TASKS = "tests.web.tasks"
LIMIT_SECONDS = 1_800


@dataclass(frozen=True, slots=True, kw_only=True)
class Fuzzed:
    """What came of it."""

    cases: int
    passed: int
    exit_code: int
    text: str
    log: str

    @property
    def is_clean(self) -> bool:
        return self.exit_code == 0 and self.cases == self.passed and "Traceback" not in self.log


def prepare(url: str) -> tuple[str, dict[str, list[str]]]:
    """Fill the queue a little; returns a token, and names what is there by path parameters."""
    with Client(url) as client:
        client.store.migrate()
        jobs = [client.enqueue(add, number).id for number in range(20)]
        jobs += [client.enqueue(fail, f"reason {number}").id for number in range(5)]
        jobs += [client.enqueue(add.with_options(delay="1h", key=f"k{n}"), n).id for n in range(5)]
        with client.batches.create(name="fuzzed") as batch:
            batch.add_many(add.call(number) for number in range(5))
        client.schedules.set("nightly", "0 3 * * *", add.call(1))
        client.throttles.set("host", running=2)
        secret = client.tokens.add("fuzzer", scope="admin").secret
    return secret, {
        "job_id": [str(job_id) for job_id in jobs],
        "batch_id": [str(batch.id)],
        "name": ["nightly", "host", "sums", "default"],
        "key": ["k1", "k2"],
        "kind": ["web.add", "web.fail"],
    }


def fuzz(url: str, *, examples: int) -> Fuzzed:
    """Serve the store and run Schemathesis against it, with all its phases and checks."""
    secret, known = prepare(url)
    return fuzz_service(url, secret, known, TASKS, examples=examples)


def fuzz_service(
    url: str,
    secret: str,
    known: dict[str, list[str]],
    *words: str,
    examples: int,
    document: str = "/api/openapi.json",
    leave_out: tuple[str, ...] = (),
) -> Fuzzed:
    """Serve with these words, and fuzz what a document describes; some checks may be left out."""
    unhindered = ("--rate", "100000", "--wrong-rate", "100000")
    with served(url, *words, "--log-level", "warning", *unhindered) as service:
        done = _run(service.address + document, secret, known, examples, leave_out)
        _, _, log = service.end()
    found = re.search(r"(\d+) generated(?:, (\d+) passed)?", done.stdout)
    cases, passed = (int(each or 0) for each in found.groups()) if found else (0, 0)
    return Fuzzed(
        cases=cases,
        passed=passed,
        exit_code=done.returncode,
        text=done.stdout + done.stderr,
        log=log,
    )


def _run(
    document: str,
    secret: str,
    known: dict[str, list[str]],
    examples: int,
    leave_out: tuple[str, ...],
) -> subprocess.CompletedProcess[str]:
    options: dict[str, Any] = {"capture_output": True, "text": True, "timeout": LIMIT_SECONDS}
    paths = os.pathsep.join(sys.path)
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(
            [
                str(Path(sys.executable).parent / "schemathesis"),
                *("--config-file", str(FOLDER / "schemathesis.toml")),
                *("run", document),
                *("--header", f"Authorization: Bearer {secret}"),
                *("--checks", "all", "--max-examples", str(examples)),
                *(("--exclude-checks", ",".join(leave_out)) if leave_out else ()),
                *("--generation-deterministic", "--continue-on-failure", "--no-color"),
                *("--suppress-health-check", "all", "--warnings", "off"),
            ],
            cwd=folder,
            env=os.environ
            | {
                "SCHEMATHESIS_HOOKS": "tests.web.fuzz_hooks",
                "LEASEHOLD_FUZZ_KNOWN": json.dumps(known),
                "PYTHONPATH": paths,
            },
            check=False,
            **options,
        )


def fuzzing_command(fuzz: Callable[..., Fuzzed]) -> click.Command:
    """Make the command that fuzzes one document at length and prints what it found."""

    @click.command()
    @click.argument("url", required=False)
    @click.option("--examples", default=40, show_default=True, help="Of each operation, at most.")
    def main(url: str | None, examples: int) -> None:
        """Run it and print what it found."""
        with tempfile.TemporaryDirectory() as folder:
            done = fuzz(url or f"sqlite:///{folder}/fuzzed.db", examples=examples)
        click.echo(done.text)
        click.echo(done.log)
        click.echo(f"{done.cases:,} cases, {done.passed:,} passed")
        sys.exit(not done.is_clean)

    return main


if __name__ == "__main__":
    fuzzing_command(fuzz)()
