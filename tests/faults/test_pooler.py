"""Behind PgBouncer in transaction mode everything works; wake-ups are by polling, and it says so.

It needs Debian's `pgbouncer`: `.ci/run` installs and requires it, elsewhere these tests say that
they were left out.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import psycopg
import pytest

import leasehold as lh
from leasehold.store import open_store
from tests.faults.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

REQUIRE_VARIABLE = "LEASEHOLD_REQUIRE_PGBOUNCER"
PROGRAM = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")

pytestmark = pytest.mark.skipif(
    PROGRAM is None and os.environ.get(REQUIRE_VARIABLE) != "1",
    reason="LEFT OUT: no pgbouncer here; install Debian's package `pgbouncer` to run this",
)

SETTINGS = """
[databases]
* = host=127.0.0.1 port={server_port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 100
"""


@lh.task(name="pooled.double")
async def double(number: int) -> int:
    return 2 * number


@lh.task(name="pooled.note")
def note(number: int) -> None:
    with lh.current_job().transaction() as connection:
        connection.execute("INSERT INTO noted VALUES (%s)", (number,))


@pytest.fixture
def pooler_url(postgres_url: str) -> Iterator[str]:
    """The address of a pooler in front of an empty database."""
    assert PROGRAM is not None
    direct = urlsplit(postgres_url)
    database = direct.path.lstrip("/")
    with tempfile.TemporaryDirectory(prefix="leasehold-pooler-") as folder:
        port = _free_port()
        settings = Path(folder) / "pgbouncer.ini"
        text = SETTINGS.format(server_port=direct.port, port=port).replace("* =", f"{database} =")
        settings.write_text(text)
        _open_to_others(Path(folder), settings)
        user = "nobody" if os.getuid() == 0 else None  # it refuses to be root
        process = subprocess.Popen(
            [PROGRAM, "--quiet", str(settings)], user=user, stderr=subprocess.DEVNULL
        )
        try:
            wait_for("the pooler answers", lambda: _answers(port) or None, 15)
            yield f"postgresql://postgres@127.0.0.1:{port}/{database}"
        finally:
            process.terminate()
            process.wait()


def test_jobs_run_and_transactions_settle_through_a_pooler(pooler_url: str) -> None:
    store = open_store(pooler_url)
    store.migrate()
    with psycopg.connect(pooler_url, autocommit=True) as connection:
        connection.execute("CREATE TABLE noted (number integer)", prepare=False)
    client = lh.Client(store=store)
    client.enqueue_many(double.call(number) for number in range(500))
    client.enqueue_many(note.call(number) for number in range(50))

    report = lh.Worker(client, [double, note], lease="5s").run(until_empty=True)

    assert (report.succeeded, report.failed, report.lost) == (550, 0, 0)
    with psycopg.connect(pooler_url, autocommit=True) as connection:
        counted = connection.execute("SELECT count(*) FROM noted", prepare=False).fetchone()
    assert counted == (50,)
    store.close()


def test_an_idle_worker_behind_a_pooler_polls_and_says_so(
    pooler_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    store = open_store(pooler_url)
    store.migrate()
    client = lh.Client(store=store)
    with lh.Worker(client, [double], poll="200ms"):
        wait_for("the worker says that it polls", lambda: "polling only" in caplog.text or None, 15)
        job = client.enqueue(double, 21)
        wait_for(
            "the job is found", lambda: client.get(job.id).state is lh.State.SUCCEEDED or None, 15
        )
    assert client.get(job.id).result == 42
    assert any(each.topic == "wake-up" and each.level == "warning" for each in store.examine())
    store.close()


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _open_to_others(folder: Path, settings: Path) -> None:
    folder.chmod(0o755)
    settings.chmod(0o644)


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
