"""What the suite relies on in its own PostgreSQL, the system's and the wheel's alike."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from tests.postgres_binaries import copy_wheel, find_binaries, system_binaries, wheel_binaries
from tests.postgres_server import (
    URL_VARIABLE,
    PostgresFailedError,
    PostgresServer,
    living_processes,
)

ROOT = Path(__file__).resolve().parent.parent.parent
INSTALLATIONS = sorted({path for path in (system_binaries(), wheel_binaries()) if path})


def name_of(binaries: Path) -> str:
    return binaries.parent.name.replace("pginstall", "wheel")


@pytest.fixture(scope="module", params=INSTALLATIONS, ids=name_of)
def server(request: pytest.FixtureRequest) -> Iterator[PostgresServer]:
    with PostgresServer(binaries=request.param) as server:
        yield server


def query(url: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def test_a_new_database_is_empty_and_its_own(server: PostgresServer) -> None:
    first, second = server.create_database(), server.create_database()
    query(first, "CREATE TABLE mark (id int)")
    assert query(second, "SELECT to_regclass('mark')") == [(None,)]
    server.drop_database(first)
    server.drop_database(second)


def test_a_database_can_be_made_from_a_template(server: PostgresServer) -> None:
    template = server.create_database()
    query(template, "CREATE TABLE mark (id int)")
    copy = server.create_database(template=urlsplit(template).path.removeprefix("/"))
    assert query(copy, "SELECT to_regclass('mark')::text") == [("mark",)]
    server.drop_database(copy)
    server.drop_database(template)


def test_dropping_a_database_ends_the_connections_to_it(server: PostgresServer) -> None:
    url = server.create_database()
    with psycopg.connect(url) as connection:
        server.drop_database(url)
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url)


def test_it_never_runs_as_root_and_is_durable(server: PostgresServer) -> None:
    assert (server.folder / "data" / "postmaster.pid").owner() != "root"
    assert query(server.url(), "SHOW fsync") == [("on",)]
    assert query(server.url(), "SHOW synchronous_commit") == [("on",)]


@pytest.mark.parametrize("ending", ["fast", "immediate", "crash"])
def test_committed_rows_outlive_every_ending(server: PostgresServer, ending: str) -> None:
    url = server.create_database()
    query(url, "CREATE TABLE mark AS SELECT 7 AS id")
    if ending == "crash":
        server.crash()
    elif ending == "immediate":
        server.stop("immediate")
    else:
        server.stop("fast")
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url)
    server.start()
    assert query(url, "SELECT id FROM mark") == [(7,)]
    server.drop_database(url)


def test_a_crash_leaves_no_process_behind(server: PostgresServer) -> None:
    with psycopg.connect(server.url()) as connection:
        backend = connection.info.backend_pid
        postmaster = server.pid
        server.crash()
        assert not {backend, postmaster} & {pid for pid, _ in living_processes()}
        connection.close()
    server.start()


def test_stopping_and_closing_are_safe_twice_and_leave_no_folder() -> None:
    other = PostgresServer(binaries=find_binaries())
    other.start()
    folder = other.folder
    other.stop()
    other.stop()
    other.close()
    other.close()
    assert not folder.exists()


@pytest.mark.parametrize("binaries", INSTALLATIONS, ids=name_of)
def test_it_dies_with_its_parent_and_its_folder_goes(binaries: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != URL_VARIABLE}
    owner = subprocess.Popen(
        [sys.executable, "-m", "tests.postgres_server"],
        cwd=ROOT,
        env={**environment, "LEASEHOLD_TEST_POSTGRES_BIN": str(binaries)},
        stdout=subprocess.PIPE,
        text=True,
    )
    with owner:
        assert owner.stdout is not None
        url = owner.stdout.readline().strip()
        [(data,)] = query(url, "SHOW data_directory")
        folder = Path(str(data)).parent
        owner.send_signal(signal.SIGKILL)
    wait_until_gone(folder)
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url)


def wait_until_gone(folder: Path) -> None:
    give_up = time.monotonic() + 20
    while folder.exists():
        assert time.monotonic() < give_up, f"{folder} is still there"
        time.sleep(0.02)


def test_binaries_that_its_account_cannot_reach_are_copied(tmp_path: Path) -> None:
    wheel = wheel_binaries()
    assert wheel is not None
    hidden = copy_wheel(wheel, tmp_path)
    tmp_path.chmod(0o700)
    with PostgresServer(binaries=hidden) as server:
        assert query(server.url(), "SELECT 1") == [(1,)]


def test_an_external_server_gives_databases_and_is_never_stopped(
    server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(URL_VARIABLE, server.url() + "?application_name=guest")
    with PostgresServer() as guest:
        url = guest.create_database()
        assert query(url, "SHOW application_name") == [("guest",)]
        for refused in (guest.stop, guest.crash, guest.restart):
            with pytest.raises(PostgresFailedError, match=URL_VARIABLE):
                refused()
        guest.drop_database(url)
    assert query(server.url(), "SELECT 1") == [(1,)]


def test_the_fixtures_give_a_fresh_database_of_either_kind(
    postgres_url: str, sqlite_url: str
) -> None:
    assert query(postgres_url, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == [
        (0,)
    ]
    assert sqlite_url.startswith("sqlite:////")
