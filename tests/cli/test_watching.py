"""`leasehold work` lets others watch: metrics at a port, events in its log."""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.cli import shop
from tests.cli.kit import WAIT_SECONDS, Cli
from tests.worker.kit import wait_until

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

    from leasehold.client import Client


@pytest.fixture(autouse=True)
def _shop(tmp_path: Path) -> None:
    shutil.copy(shop.__file__, tmp_path / "shop.py")


@pytest.fixture
def working(cli: Cli) -> Iterator[subprocess.Popen[str]]:
    words = ("--metrics-port", "0", "--log-format", "json", "--log-level", "debug")
    process = cli.start("work", "shop", *words)
    yield process
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=WAIT_SECONDS)
    assert process.returncode == 0


def await_event(process: subprocess.Popen[str], name: str) -> dict[str, Any]:
    assert process.stderr is not None
    for line in process.stderr:
        event: dict[str, Any] = json.loads(line)
        if event["event"] == name:
            return event
    raise AssertionError(f"no event {name!r} came")


def test_metrics_are_served_on_loopback_and_jobs_are_logged_without_arguments(
    working: subprocess.Popen[str], client: Client
) -> None:
    served = await_event(working, "metrics served")
    assert served["host"] == "127.0.0.1"
    client.enqueue(shop.greet, "Ada")
    done = await_event(working, "job succeeded")
    assert done["job_duration_ms"] >= 0
    assert "Ada" not in json.dumps(done)
    address = f"http://127.0.0.1:{served['port']}/metrics"
    counted = f'leasehold_worker_attempts_total{{kind="{shop.greet.name}",outcome="succeeded"'
    wait_until(lambda: counted in httpx.get(address, trust_env=False).text, "it is counted")


def test_a_port_that_is_taken_is_wrong_usage(working: subprocess.Popen[str], cli: Cli) -> None:
    port = await_event(working, "metrics served")["port"]
    answer = cli.script("work", "shop", "--metrics-port", str(port))
    assert answer.code == 2
    assert f"can't serve metrics at 127.0.0.1:{port}" in answer.err


def test_the_password_of_the_database_is_in_no_line_of_the_log(cli: Cli) -> None:
    url = "postgresql://ada:xyzzy-canary@127.0.0.1:1/none"
    answer = cli.script("work", "shop", "--budget", "1s", "--log-level", "debug", LEASEHOLD_URL=url)
    assert answer.code == 4
    assert "xyzzy-canary" not in answer.err + answer.out


TRACED = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
from shop import greet
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter()))
trace.set_tracer_provider(provider)
"""


def test_a_span_for_each_attempt_goes_to_the_programs_own_provider(
    cli: Cli, client: Client, tmp_path: Path
) -> None:
    (tmp_path / "traced.py").write_text(TRACED)
    client.enqueue(shop.greet, "Ada")
    answer = cli.script("work", "traced:greet", "--otel", "--until-empty")
    assert answer.code == 0, answer.err
    assert '"name": "process greet"' in answer.out
    assert "no tracer provider" not in answer.err
    assert "Ada" not in answer.out


def test_who_asks_for_spans_without_a_provider_is_told(cli: Cli) -> None:
    answer = cli.script("work", "shop", "--otel", "--until-empty")
    assert answer.code == 0
    assert "no tracer provider" in answer.err


def test_what_dies_goes_to_sentry_and_who_has_no_address_is_told(
    cli: Cli, client: Client, tmp_path: Path
) -> None:
    (tmp_path / "reported.py").write_text(REPORTED)
    client.enqueue(shop.broken.with_options(max_attempts=1))
    answer = cli.script("work", "reported:broken", "--sentry", "--until-empty")
    assert answer.code == 0, answer.err
    assert "captured ['leasehold', 'broken'" in answer.out
    assert "no SENTRY_DSN" not in answer.err
    silent = cli.script("work", "shop", "--sentry", "--until-empty", SENTRY_DSN="")
    assert "no SENTRY_DSN" in silent.err


REPORTED = """
import sentry_sdk
from sentry_sdk.transport import Transport
from shop import broken

class Printing(Transport):
    def capture_envelope(self, envelope):
        print("captured", envelope.get_event()["fingerprint"])

sentry_sdk.init(dsn="https://public@127.0.0.1/1", transport=Printing())
"""
