"""PgBouncer in transaction mode in front of a database.

It needs Debian's `pgbouncer`: `.ci/run` installs and requires it, elsewhere tests say that they
were left out.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.faults.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

REQUIRE_VARIABLE = "LEASEHOLD_REQUIRE_PGBOUNCER"
PROGRAM = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")

needs_pooler = pytest.mark.skipif(
    PROGRAM is None and os.environ.get(REQUIRE_VARIABLE) != "1",
    reason="LEFT OUT: no pgbouncer here; install Debian's package `pgbouncer` to run this",
)

SETTINGS = """
[databases]
{database} = host=127.0.0.1 port={server_port} user={user} {password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {pool_size}
max_client_conn = 100
"""


@contextlib.contextmanager
def pooler_before(url: str, *, pool_size: int = 4) -> Iterator[str]:
    """Start a pooler, which logs in to the database as the url says; yields its own url."""
    assert PROGRAM is not None
    direct = urlsplit(url)
    database, user = direct.path.lstrip("/"), direct.username or "postgres"
    with tempfile.TemporaryDirectory(prefix="leasehold-pooler-") as folder:
        port = _free_port()
        settings = Path(folder) / "pgbouncer.ini"
        text = SETTINGS.format(
            database=database,
            server_port=direct.port,
            user=user,
            password=f"password={direct.password}" if direct.password else "",
            port=port,
            pool_size=pool_size,
        )
        settings.write_text(text)
        _open_to_others(Path(folder), settings)
        account = "nobody" if os.getuid() == 0 else None  # it refuses to be root
        process = subprocess.Popen(
            [PROGRAM, "--quiet", str(settings)], user=account, stderr=subprocess.DEVNULL
        )
        try:
            wait_for("the pooler answers", lambda: _answers(port) or None, 15)
            yield f"postgresql://{user}@127.0.0.1:{port}/{database}"
        finally:
            process.terminate()
            process.wait()


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
