"""What people read: durations, colours, log lines."""

from __future__ import annotations

import json
import logging
import os
import pty
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from leasehold.cli.logs import ConsoleFormatter, JsonFormatter, set_up_logging
from leasehold.cli.output import first_line, printable
from leasehold.model.wording import since, span
from tests.cli.kit import SCRIPT, Cli

NOW = datetime(2030, 1, 31, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 ms"),
        (0.25, "250 ms"),
        (2.345, "2.3 s"),
        (59, "59 s"),
        (61, "1 m"),
        (7_100, "118 m"),
        (7_300, "2 h"),
        (200_000, "2 d"),
    ],
)
def test_durations_are_short(seconds: float, text: str) -> None:
    assert span(seconds) == text


def test_moments_are_told_from_now() -> None:
    assert since(NOW - timedelta(seconds=5), NOW) == "5.0 s ago"
    assert since(NOW + timedelta(minutes=5), NOW) == "in 5 m"
    assert since(None, NOW) == ""


def test_texts_are_cut_to_one_line_without_control_characters() -> None:
    assert first_line("one\ntwo") == "one"
    assert first_line("x" * 100, most=5) == "xxxx…"
    assert printable("a\x1b[1mb\nc") == "a\ufffd[1mb\nc"


def record(**fields: object) -> logging.LogRecord:
    made = {"name": "leasehold.worker", "levelname": "WARNING", "msg": "lease lost", **fields}
    return logging.makeLogRecord(made)


def test_console_log_lines_carry_the_fields() -> None:
    line = ConsoleFormatter().format(record(job="0192", error="it is gone"))
    assert line.partition(" ")[2] == 'WARNING lease lost job=0192 error="it is gone"'


def test_json_log_lines_carry_the_fields_and_the_traceback() -> None:
    try:
        raise ValueError("no")
    except ValueError:
        line = JsonFormatter().format(record(job="0192", exc_info=sys.exc_info()))
    said = json.loads(line)
    assert (said["level"], said["event"], said["job"]) == ("warning", "lease lost", "0192")
    assert said["traceback"].endswith("ValueError: no")


@pytest.mark.parametrize(("level", "told"), [("info", 1), ("INFO", 1), ("debug", 2)])
def test_requests_that_went_well_are_told_only_to_who_looks_for_faults(
    capsys: pytest.CaptureFixture[str], level: str, told: int
) -> None:
    set_up_logging(level, "console")
    logging.getLogger("httpx").info("HTTP Request: POST http://127.0.0.1/v1 200 OK")
    logging.getLogger("httpx").warning("odd")

    assert len(capsys.readouterr().err.splitlines()) == told


@pytest.mark.parametrize(("setting", "is_coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colours_are_for_terminals_and_honour_no_color(
    cli: Cli,
    setting: dict[str, str],
    is_coloured: bool,  # noqa: FBT001 - a parameter of pytest's
) -> None:
    cli("enqueue", "greet")
    env = {**os.environ, "LEASEHOLD_URL": cli.url, "TERM": "xterm", "COLUMNS": "100", **setting}
    assert ("\x1b[36m" in run_in_terminal([SCRIPT, "jobs", "list"], env)) is is_coloured


def run_in_terminal(command: list[str], env: dict[str, str]) -> str:
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, env=env, stdout=theirs, stderr=theirs, stdin=theirs) as process:
        os.close(theirs)
        said = b""
        try:
            while chunk := os.read(ours, 65_536):
                said += chunk
        except OSError:  # Linux: the other end is closed
            pass
        assert process.wait() == 0
    os.close(ours)
    return said.decode()
