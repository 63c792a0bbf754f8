"""The README's commands do what it says, with the real program and the real curl."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.web.serving import served

if TYPE_CHECKING:
    from leasehold_sync.servers import StripeServer

README = Path(__file__).parents[3] / "apps" / "sync" / "README.md"
ADDRESS, SOURCE = "http://127.0.0.1:8320", "http://127.0.0.1:12111"
PROGRAM = ("leasehold_sync.cli", "serve")
LEFT_OUT = "…"


class Command(NamedTuple):
    """A command of the README, and what it says of the answer."""

    line: str
    shown: dict[str, Any]


def section() -> str:
    return README.read_text().partition("## The flow, with curl")[2].partition("\n## ")[0]


def commands() -> list[Command]:
    found = re.findall(r"^\$ (curl .*)\n(\{.*\})$", section(), re.MULTILINE)
    return [Command(line, json.loads(shown)) for line, shown in found]


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
def test_the_readmes_flow_is_answered_as_it_says(
    url: str, server: StripeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRIPE_KEY", server.key)
    (adding,) = re.findall(r"^\$ leasehold-sync (apps add .*)$", section(), re.MULTILINE)
    run(f"{sys.executable} -m leasehold_sync.cli {adding.replace(SOURCE, server.url)}", url=url)
    with served(url, "--no-worker", "--log-level", "error", program=PROGRAM) as service:
        job = ""
        assert len(commands()) >= 7
        for command in commands():
            line = command.line.replace(ADDRESS, service.address)
            answer = json.loads(run(line, job=job))
            job = answer.get("job_id", job)
            check(command, answer)


def check(command: Command, answer: dict[str, Any]) -> None:
    """What is shown is so; what is left out is there."""
    left_out = {name for name, value in command.shown.items() if value == LEFT_OUT}
    assert left_out <= answer.keys(), (command.line, answer)
    told = {name: answer.get(name) for name in command.shown.keys() - left_out}
    assert told == {name: command.shown[name] for name in told}, (command.line, answer)


def run(line: str, *, job: str = "", url: str = "") -> str:
    said = {"JOB": job, "LEASEHOLD_URL": url, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        ["bash", "-c", line],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=os.environ | said,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
