"""`leasehold stats`, `leasehold failures` and `leasehold top`."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

import leasehold as lh
from tests.cli.kit import SCRIPT

if TYPE_CHECKING:
    from tests.cli.kit import Cli

WAIT_SECONDS = 30.0


@lh.task(name="shop.fine", queue="shop")
def fine() -> None: ...


@lh.task(name="shop.broken", queue="shop", max_attempts=1)
def broken(number: int) -> None:
    raise ValueError(f"no order {number}\x1b[2J")


def run_some(client: lh.Client) -> None:
    client.enqueue_many(fine.call() for _ in range(3))
    client.enqueue_many(broken.call(number) for number in range(2))
    lh.Worker(client, [fine, broken]).run(until_empty=True)
    client.enqueue(fine)


def test_stats_says_how_it_stands_and_what_happened(cli: Cli, client: lh.Client) -> None:
    run_some(client)
    text = cli("stats").out
    assert "1 in queue" in text
    assert "3 succeeded (3.0/h), 2 dead, 40.0 % did not end well" in text
    assert "last 60 m" in text
    assert "dead in 24 h  2" in text
    assert any(line.split()[:2] == ["shop.broken", "shop"] for line in text.splitlines())
    found = cli("stats", "--window", "10m", "--json").json()
    assert found["window_seconds"] == 600.0
    assert found["activity"]["counts"]["succeeded"] == 3
    assert (found["in_queue"], found["failed_24h"]) == (1, 2)
    assert found["average_seconds"] > 0


def test_stats_of_an_empty_store_say_so(cli: Cli) -> None:
    text = cli("stats").out
    assert "0 in queue (none ready)" in text
    assert "0 succeeded (0.0/h)" in text
    assert "nothing ran" in text


def test_a_window_that_nothing_is_kept_for_is_wrong_usage(cli: Cli) -> None:
    for window in ("30d", "1s", "soon"):
        assert cli("stats", "--window", window).code == 2


def test_failures_are_grouped_and_can_not_command_the_terminal(cli: Cli, client: lh.Client) -> None:
    assert cli("failures").out == "No failures.\n"
    run_some(client)
    answer = cli("failures")
    (line,) = answer.out.splitlines()[1:]
    assert line.split()[:4] == ["2", "2", "0", "shop.broken"]
    assert "ValueError: no order <n>" in line
    assert "\x1b" not in answer.out
    (group,) = cli("failures", "--json").json()["failures"]
    assert (group["error"], group["count"], group["dead"]) == ("ValueError", 2, 2)
    assert cli("jobs", "show", group["sample"]).code == 0
    assert cli("failures", "--limit", "0").code == 2


def test_top_without_a_terminal_prints_all_once(cli: Cli, client: lh.Client) -> None:
    run_some(client)
    text = cli("top").out
    assert "1 in queue" in text
    assert "shop.fine" in text
    found = cli("top", "--json").json()
    assert found["overview"]["in_queue"] == 1
    assert found["running"] == []


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize("by", ["q", "Ctrl-C"])
def test_top_on_a_terminal_is_drawn_anew_until_it_is_left(
    cli: Cli, client: lh.Client, by: str
) -> None:
    screen = Screen(cli, "top", "--every", "0.2s")
    try:
        screen.wait_for(b"0 in queue")
        client.enqueue(fine)
        screen.wait_for(b"1 in queue")
        screen.leave(by)
        screen.wait_for_end()
    finally:
        screen.close()


class Screen:
    """The program on a terminal of its own."""

    def __init__(self, cli: Cli, *words: str) -> None:
        self._master, slave = os.openpty()
        self._process = subprocess.Popen(
            [SCRIPT, *words],
            env=os.environ | {"LEASEHOLD_URL": cli.url, "COLUMNS": "160", "LINES": "50"},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        self._seen = b""

    def leave(self, by: str) -> None:
        if by == "q":
            os.write(self._master, b"q")
        else:
            self._process.send_signal(signal.SIGINT)

    def wait_for(self, text: bytes) -> None:
        """Read until it shows that."""
        deadline = time.monotonic() + WAIT_SECONDS
        while text not in self._seen:
            assert time.monotonic() < deadline, self._seen[-2_000:]
            self._read()

    def wait_for_end(self) -> None:
        deadline = time.monotonic() + WAIT_SECONDS
        while self._process.poll() is None:
            assert time.monotonic() < deadline, "it goes on"
            self._read()
        assert self._process.returncode == 0

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._master)

    def _read(self) -> None:
        if select.select([self._master], [], [], 0.05)[0]:
            try:
                self._seen += os.read(self._master, 65_536)
            except OSError:  # the other end is closed
                time.sleep(0.01)
