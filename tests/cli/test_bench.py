"""`leasehold bench`: it measures, touches nothing of the user's, and leaves nothing behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql

from leasehold.cli import bench_measures, bench_scratch
from leasehold.cli.bench import interpret
from leasehold.cli.bench_measures import Figures
from leasehold.cli.bench_scratch import make_scratch
from leasehold.client import Client
from leasehold.errors import LeaseholdError
from tests.cli.kit import WAIT_SECONDS, Cli
from tests.cli.shop import greet
from tests.conformance.tables import open_tables, snapshot
from tests.postgres_server import PostgresServer

SMALL = ("bench", "--jobs", "200")
PLACE = re.compile(r"working in the (file|database) (\S+), which is removed")
FIGURES = Figures.__dataclass_fields__.keys()


def is_scratch_there(url: str, progress: str) -> bool:
    """Look for the place that the bench said it works in, and for the files beside it."""
    found = PLACE.search(progress)
    assert found, progress
    kind, name = found.groups()
    if kind == "file":
        return bool(list(Path(name).parent.glob(f"{Path(name).name}*")))
    with psycopg.connect(url) as connection:
        statement = "SELECT 1 FROM pg_database WHERE datname = %s"
        return connection.execute(statement, [name]).fetchone() is not None


@pytest.fixture
def weak_role_url(postgres_server: PostgresServer, postgres_url: str) -> Iterator[str]:
    """A database as a role sees it that may not create one."""
    role = f"leasehold_test_{uuid.uuid4().hex}"
    with psycopg.connect(postgres_server.url(), autocommit=True) as connection:
        name = sql.Identifier(role)
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'secret'").format(name))
        parts = urlsplit(postgres_url)
        place = parts.netloc.rpartition("@")[2]
        yield parts._replace(netloc=f"{role}:secret@{place}").geturl()
        connection.execute(sql.SQL("DROP ROLE {}").format(name))


def test_every_figure_is_there_and_the_users_database_as_it_was(cli: Cli, client: Client) -> None:
    client.enqueue(greet, "Ada")
    with open_tables(cli.url) as tables:
        before = snapshot(tables)
        answer = cli(*SMALL, "--processes", "2", "--json")
        assert snapshot(tables) == before
    assert answer.code == 0, answer.err
    found = answer.json()
    assert (found["jobs"], found["processes"]) == (200, 2)
    assert found["figures"].keys() == FIGURES
    # A handler may start before the enqueue has returned.
    assert all(value > 0 for name, value in found["figures"].items() if "pick_up" not in name)
    assert len(found["notes"]) == 2
    assert not client.workers()
    assert not is_scratch_there(cli.url, answer.err)


def test_people_get_a_table_and_what_it_means(cli: Cli) -> None:
    answer = cli(*SMALL)
    lines = answer.out.splitlines()
    assert lines[0].endswith(": 200 jobs, 1 worker process")
    assert [line.split()[-1] for line in lines[1:8]] == ["ms", *["jobs/s"] * 4, "ms", "ms"]
    assert lines[8].startswith("A commit takes ")
    assert lines[9].startswith("With one worker process ")
    assert "drain, blocking handlers\n" in answer.err


def test_the_notes_derive_from_the_figures() -> None:
    values = dict.fromkeys(FIGURES, 10.0) | {"commit_ms": 4.0, "drain_async_per_second": 20_000.0}
    enqueuing, working = interpret(Figures(**values), 3)
    assert "takes 4.00 ms here" in enqueuing
    assert "faster than 250/s" in enqueuing
    assert "With 3 worker processes the queue itself costs 50 µs a job" in working


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("moment", ["one durable commit", "drain, blocking handlers", "pick-up"])
def test_an_interrupted_bench_leaves_nothing_behind(
    cli: Cli, number: signal.Signals, moment: str
) -> None:
    process = cli.start(*SMALL)
    assert process.stderr is not None
    progress = ""
    while moment not in progress:
        line = process.stderr.readline()
        assert line, progress
        progress += line
    assert is_scratch_there(cli.url, progress)
    process.send_signal(number)
    out, err = process.communicate(timeout=WAIT_SECONDS)
    assert (process.returncode, out) == (1, "")
    assert "Aborted!" in err
    assert "Traceback" not in err
    assert not is_scratch_there(cli.url, progress)


def test_a_signal_while_the_database_is_made_does_not_leave_it(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = bench_scratch._create
    made: list[str] = []

    def create_amid_signal(connection: psycopg.Connection[Any], name: str) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        create(connection, name)
        made.append(f"working in the database {name}, which is removed")

    monkeypatch.setattr(bench_scratch, "_create", create_amid_signal)
    with pytest.raises(KeyboardInterrupt), make_scratch(postgres_url):
        pytest.fail("the signal was forgotten")
    assert not is_scratch_there(postgres_url, made[0])


def test_a_signal_while_the_place_is_removed_does_not_leave_it(
    empty_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold_back = bench_scratch.holding_back_endings

    @contextmanager
    def hold_back_amid_signal() -> Iterator[None]:
        with hold_back():
            os.kill(os.getpid(), signal.SIGTERM)
            yield

    place = ExitStack()
    scratch = place.enter_context(make_scratch(empty_url))
    with Client(scratch.url) as client:
        client.store.migrate()
    progress = f"working in {scratch.title}, which is removed"
    assert is_scratch_there(empty_url, progress)
    monkeypatch.setattr(bench_scratch, "holding_back_endings", hold_back_amid_signal)
    with pytest.raises(KeyboardInterrupt):
        place.close()
    assert not is_scratch_there(empty_url, progress)


def test_a_signal_while_a_worker_is_started_ends_the_worker(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = bench_measures._start_process
    started: list[subprocess.Popen[str]] = []

    def start_amid_signal(url: str, kind: str) -> subprocess.Popen[str]:
        os.kill(os.getpid(), signal.SIGINT)
        started.append(start(url, kind))
        return started[0]

    monkeypatch.setattr(bench_measures, "_start_process", start_amid_signal)
    with (
        Client(store_url) as client,
        pytest.raises(KeyboardInterrupt),
        bench_measures._worker_processes(client, "async", 1),
    ):
        pytest.fail("the signal was forgotten")
    assert started[0].returncode == -signal.SIGKILL


def test_a_bench_that_fails_leaves_nothing_behind(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(client: Client, *_: object) -> float:
        assert client.counts()
        raise LeaseholdError("the drain went wrong")

    monkeypatch.setattr(bench_measures, "_drain", fail)
    answer = cli(*SMALL)
    assert answer.code == 1
    assert "Error: the drain went wrong" in answer.err
    assert not is_scratch_there(cli.url, answer.err)


def test_a_drain_that_stands_still_is_an_error(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench_measures, "STILL_SECONDS", 0.1)
    client.enqueue(greet, "Ada")
    with pytest.raises(LeaseholdError, match="no job was settled"):
        bench_measures._await_empty(client, [])


def test_scratch_uses_an_empty_database_as_it_is_and_only_once(
    empty_url: str, tmp_path: Path
) -> None:
    cli = Cli(empty_url, tmp_path)
    answer = cli(*SMALL, "--scratch")
    assert answer.code == 0, answer.err
    assert "working in" not in answer.err
    with Client(empty_url) as client:
        assert len(client.find(kind="leasehold.bench.blocking", limit=300)) == 200
    again = cli(*SMALL, "--scratch")
    assert again.code == 1
    assert "already holds jobs" in again.err


def test_scratch_is_refused_where_there_are_jobs(cli: Cli, client: Client) -> None:
    client.enqueue(greet, "Ada")
    answer = cli(*SMALL, "--scratch", "--json")
    assert (answer.code, answer.out) == (1, "")
    assert '"error": "StoreRefused"' in answer.err
    assert [job.kind for job in client.find()] == ["greet"]


def test_a_role_without_createdb_is_told_what_to_do(weak_role_url: str, tmp_path: Path) -> None:
    answer = Cli(weak_role_url, tmp_path)(*SMALL)
    assert answer.code == 1
    assert re.search(r"ALTER ROLE leasehold_test_\w+ CREATEDB", answer.err)
    assert "--scratch" in answer.err
    assert "secret" not in answer.err


@pytest.mark.parametrize(
    ("url", "code", "complaint"),
    [
        ("postgresql://127.0.0.1:1/nowhere", 4, "PostgreSQL can't be reached"),
        ("mysql://localhost/shop", 2, "starts with sqlite:/// or postgresql://"),
        ("sqlite:///:memory:", 1, "a queue needs a file"),
        ("sqlite:///no/such/folder/queue.db", 1, "No such file or directory"),
    ],
)
def test_a_database_that_can_not_be_used_is_one_line(
    tmp_path: Path, url: str, code: int, complaint: str
) -> None:
    answer = Cli(url, tmp_path)(*SMALL)
    assert answer.code == code
    assert complaint in answer.err
    assert "Traceback" not in answer.err


@pytest.mark.parametrize("options", ["", "?application_name=shop", "?dbname=postgres"])
def test_the_scratch_url_never_means_the_users_database(postgres_url: str, options: str) -> None:
    with make_scratch(postgres_url + options) as scratch, psycopg.connect(scratch.url) as opened:
        assert opened.info.dbname.startswith("leasehold_bench_")


def test_a_scratch_file_lies_where_a_link_points(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    (tmp_path / "queue.db").symlink_to(disk / "real.db")
    with make_scratch(f"sqlite:///{tmp_path / 'queue.db'}") as scratch:
        assert Path(scratch.url.removeprefix("sqlite:///")).parent == disk


def test_a_worker_process_ends_when_its_bench_is_gone(cli: Cli) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "leasehold.cli.bench_worker", "async"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
        text=True,
        timeout=WAIT_SECONDS,
        env=os.environ | {"LEASEHOLD_URL": cli.url},
    )
    assert ended.stdout.startswith('ready\n{"succeeded":0,')
