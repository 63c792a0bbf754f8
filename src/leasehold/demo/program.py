"""The demo's main program: an embedded worker, a feed, and a screen to watch them on."""

from __future__ import annotations

import logging
import os
import queue
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from leasehold.cli.secrets import hide_password
from leasehold.client import URL_VARIABLE, Client
from leasehold.demo import tasks
from leasehold.demo.feed import Feed
from leasehold.demo.look import look_at
from leasehold.demo.screen import make_screen
from leasehold.errors import LeaseholdError
from leasehold.worker import Worker

if TYPE_CHECKING:
    from leasehold.demo.screen import Screen
    from leasehold.worker import Report

FOLDER = Path("var")
OWN_URL = f"sqlite:///{FOLDER}/demo.db"
_GRACE_SECONDS = 1.5


@click.command()
@click.option("--seconds", type=click.FloatRange(min=0), help="End after so long, not at Ctrl-C.")
def main(seconds: float | None) -> None:
    """Run sample jobs on SQLite in ./var (or where LEASEHOLD_URL points) and show them live."""
    # The screen shows what fails; log lines would run through it.
    logging.getLogger("leasehold").addHandler(logging.NullHandler())
    # A SimpleQueue may be put to from a signal handler; an Event may deadlock there.
    ending: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _frame: ending.put(number))
    try:
        _run(ending, seconds)
    except LeaseholdError as error:
        raise click.ClickException(" ".join(str(error).split())) from error


def _run(ending: queue.SimpleQueue[int], seconds: float | None) -> None:
    given = os.environ.get(URL_VARIABLE)
    if not given:
        FOLDER.mkdir(exist_ok=True)
    with Client(given or OWN_URL) as client:
        client.store.migrate()
        worker = Worker(client, tasks, slots=8, grace=_GRACE_SECONDS, name="demo")
        with worker:
            feed = Feed(client)
            feed.start()
            _introduce(given)
            screen = make_screen()
            try:
                _watch(client, worker, screen, ending, seconds)
            finally:
                screen.close()
                feed.stop()
        _conclude(worker.report)


def _watch(
    client: Client,
    worker: Worker,
    screen: Screen,
    ending: queue.SimpleQueue[int],
    seconds: float | None,
) -> None:
    deadline = float("inf") if seconds is None else time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        screen.show(look_at(client, worker))
        try:
            ending.get(timeout=min(screen.pause_seconds, left))
        except queue.Empty:
            continue
        return


def _introduce(given: str | None) -> None:
    """Say where the jobs are, and give commands that work as they stand."""
    prefix = "" if given else f"{URL_VARIABLE}={OWN_URL} "
    place = hide_password(given) if given else str((FOLDER / "demo.db").resolve())
    program = f"{prefix}{_find_program()}"
    print(f"The queue is {place}")
    print("Ctrl-C ends this. Meanwhile try, in another terminal in this folder:")
    for words in (
        "jobs list --state dead",
        "enqueue greet name=World",
        "queues",
        "workers",
        "doctor",
    ):
        print(f"  {program} {words}")
    print(flush=True)


def _find_program() -> str:
    """The script beside this Python, as short as it can be written."""
    script = Path(sys.executable).parent / "leasehold"
    if not script.exists():
        return f"{sys.executable} -m leasehold.cli"
    return str(script.relative_to(Path.cwd())) if script.is_relative_to(Path.cwd()) else str(script)


def _conclude(report: Report) -> None:
    print(
        f"Done: {report.succeeded} succeeded, {report.failed} failed and were put back, "
        f"{report.dead} dead, {report.released} handed back unfinished. "
        "Start again, and it goes on from there."
    )
