"""A real PostgreSQL for tests and benches.

``PostgresServer()`` uses the server that ``LEASEHOLD_TEST_POSTGRES_URL`` names (in which it makes
throw-away databases), else starts one of its own from what ``postgres_binaries`` finds.
A test that stops or crashes it takes ``PostgresServer(binaries=find_binaries())``, always its own.

``python -m tests.postgres_server`` starts one, prints its URL and keeps it until Ctrl-C.
"""

import contextlib
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Final, Literal, Self
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from tests.postgres_binaries import copy_wheel, find_binaries

URL_VARIABLE: Final = "LEASEHOLD_TEST_POSTGRES_URL"
START_SECONDS: Final = 60.0
STOP_SECONDS: Final = 60.0
PORT_TRIES: Final = 5
# Below the range from which the kernel takes client ports: a stopped server's port stays free.
PORTS: Final = range(20_000, 32_000)
# Durability is the default (fsync and synchronous_commit on): benches measure the real thing.
SETTINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "listen_addresses": "127.0.0.1",
        "shared_buffers": "128MB",
        "max_connections": "200",
        "log_line_prefix": "%m [%p] %d ",
    }
)
STOP_SIGNALS: Final = {"fast": signal.SIGINT, "immediate": signal.SIGQUIT}


class PostgresFailedError(Exception):
    """The server did not do what it was told; the message ends with its log."""


class PostgresServer:
    """One server; ``close()`` (or the end of a ``with``) stops it and removes its folder.

    It is also ended when the process that started it dies, even by SIGKILL.
    """

    def __init__(
        self, *, binaries: Path | None = None, settings: Mapping[str, str] | None = None
    ) -> None:
        self._external = os.environ.get(URL_VARIABLE) if binaries is None else None
        self._given_binaries = binaries
        self._settings = {**SETTINGS, **(settings or {})}
        self._account = unprivileged_account()
        self._folder: Path | None = None
        self._binaries: Path | None = None
        self._port = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._watchdog: subprocess.Popen[bytes] | None = None
        self._is_crashed = False

    @property
    def is_external(self) -> bool:
        return self._external is not None

    @property
    def folder(self) -> Path:
        """Data, log and unix socket; gone after close()."""
        if self._folder is None:
            message = "the server has no folder: it was not started, was closed, or is not ours"
            raise PostgresFailedError(message)
        return self._folder

    @property
    def log_path(self) -> Path:
        return self.folder / "postgres.log"

    @property
    def pid(self) -> int:
        """The postmaster's."""
        if self._process is None:
            message = "the server is not running, or is not ours"
            raise PostgresFailedError(message)
        return self._process.pid

    def start(self) -> None:
        """Start the server, making its folder and data the first time; return when it answers."""
        if self._external is not None or self._process is not None:
            return
        if self._folder is None:
            self._prepare()
            self._start_on_free_port()
        else:
            self._launch()
        self._is_crashed = False

    def stop(self, mode: Literal["fast", "immediate"] = "fast") -> None:
        """Stop the server and keep its data; after ``immediate`` the next start recovers."""
        self._refuse_if_external("stop")
        if self._process is None:
            return
        self._process.send_signal(STOP_SIGNALS[mode])
        self._process.wait(STOP_SECONDS)
        self._process = None

    def crash(self) -> None:
        """Kill every process of the server at once, as a power cut would; its data stays."""
        self._refuse_if_external("crash")
        if self._process is None:
            return
        # Stopped first, so that it starts no child between the look and the kill.
        self._process.send_signal(signal.SIGSTOP)
        children = {pid for pid, parent in living_processes() if parent == self._process.pid}
        for pid in (self._process.pid, *children):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait(STOP_SECONDS)
        self._process = None
        self._is_crashed = True
        wait_until_gone(children)

    def restart(self, mode: Literal["fast", "immediate"] = "fast") -> None:
        """Stop and start again, on the same port and data."""
        self.stop(mode)
        self.start()

    def close(self) -> None:
        """Stop the server and remove its folder; an external server is left as it is."""
        if self._folder is None:
            return
        if self._is_crashed:
            # Only its next start removes the shared memory that a crashed server left behind.
            with contextlib.suppress(PostgresFailedError):
                self.start()
        self.stop("immediate")
        shutil.rmtree(self._folder)
        self._folder = None
        self._dismiss_watchdog()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def url(self, database: str = "postgres") -> str:
        if self._external is not None:
            return urlsplit(self._external)._replace(path=f"/{database}").geturl()
        return f"postgresql://postgres@127.0.0.1:{self._port}/{database}"

    def create_database(self, template: str = "template0") -> str:
        """Return the URL of a new database, a copy of ``template``, which nobody may be using."""
        name = f"leasehold_test_{uuid.uuid4().hex}"
        self._administer(
            sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
                sql.Identifier(name), sql.Identifier(template)
            )
        )
        return self.url(name)

    def drop_database(self, url: str) -> None:
        """Drop what create_database() returned, ending the connections to it."""
        name = urlsplit(url).path.removeprefix("/")
        self._administer(
            sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        )

    def _administer(self, statement: sql.Composed) -> None:
        with psycopg.connect(self._external or self.url(), autocommit=True) as connection:
            connection.execute(statement)

    def _refuse_if_external(self, action: str) -> None:
        if self._external is not None:
            message = (
                f"refusing to {action} the server that {URL_VARIABLE} names: a test that does so "
                "needs PostgresServer(binaries=find_binaries())"
            )
            raise PostgresFailedError(message)

    def _prepare(self) -> None:
        binaries = self._given_binaries or find_binaries()
        folder = make_folder()
        self._folder = folder
        self._watchdog = start_watchdog(folder)
        if self._account is not None:
            os.chown(folder, self._account.pw_uid, self._account.pw_gid)
        self._binaries = self._make_runnable(binaries)
        finished = subprocess.run(
            [
                *(self._binaries / "initdb", "--pgdata", folder / "data", "--username=postgres"),
                *("--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync"),
            ],
            **self._process_options(),
            capture_output=True,
            text=True,
            check=False,
        )
        if finished.returncode != 0:
            self.close()
            message = f"initdb failed: {finished.stderr}"
            raise PostgresFailedError(message)

    def _make_runnable(self, binaries: Path) -> Path:
        """Copy the binaries to where the server's account can run them, if they lie elsewhere."""
        try:
            subprocess.run(
                [binaries / "postgres", "--version"],
                **self._process_options(),
                capture_output=True,
                check=True,
            )
        except PermissionError:
            return copy_wheel(binaries, self.folder / "binaries")
        return binaries

    def _start_on_free_port(self) -> None:
        for left in reversed(range(PORT_TRIES)):
            self._port = find_free_port()
            try:
                self._launch()
            except PostgresFailedError as error:
                if left == 0 or "Address already in use" not in str(error):
                    self.close()
                    raise
            else:
                return

    def _launch(self) -> None:
        assert self._binaries is not None
        settings = (("-c", f"{name}={value}") for name, value in self._settings.items())
        with self.log_path.open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *(self._binaries / "postgres", "-D", self.folder / "data"),
                    *("-p", str(self._port), "-k", self.folder),
                    *(part for setting in settings for part in setting),
                ],
                **self._process_options(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._wait_until_ready(self._process)

    def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> None:
        give_up = time.monotonic() + START_SECONDS
        while True:
            try:
                psycopg.connect(self.url(), connect_timeout=5).close()
            except psycopg.OperationalError as error:
                if process.poll() is not None:
                    self._process = None
                    message = f"PostgreSQL did not start:\n{self._log_tail()}"
                    raise PostgresFailedError(message) from error
                if time.monotonic() > give_up:
                    message = f"PostgreSQL does not answer: {error}\n{self._log_tail()}"
                    raise PostgresFailedError(message) from error
                time.sleep(0.02)
            else:
                return

    def _log_tail(self) -> str:
        return "\n".join(self.log_path.read_text(errors="replace").splitlines()[-20:])

    def _process_options(self) -> dict[str, Any]:
        """Return how its programs run: in our folder, deaf to our Ctrl-C, never as root."""
        options: dict[str, Any] = {
            "cwd": self.folder,
            "env": {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
            "start_new_session": True,
        }
        if self._account is not None:
            options |= {
                "user": self._account.pw_uid,
                "group": self._account.pw_gid,
                "extra_groups": [],
            }
        return options

    def _dismiss_watchdog(self) -> None:
        if self._watchdog is not None:
            with contextlib.suppress(BrokenPipeError):
                self._watchdog.communicate(b"cleaned up\n", timeout=STOP_SECONDS)
            self._watchdog = None


def unprivileged_account() -> pwd.struct_passwd | None:
    """Return whom the server runs as when we are root, which it refuses to be; else None."""
    return pwd.getpwnam("nobody") if os.geteuid() == 0 else None


def make_folder() -> Path:
    """Make a folder that any account can reach, with a path short enough for a unix socket."""
    usual = Path(tempfile.gettempdir()).resolve()
    is_reachable = all(part.stat().st_mode & 0o001 for part in (usual, *usual.parents))
    parent = usual if is_reachable and len(str(usual)) < 60 else Path("/tmp")
    return Path(tempfile.mkdtemp(prefix="leasehold-pg-", dir=parent))


def start_watchdog(folder: Path) -> subprocess.Popen[bytes]:
    script = Path(__file__).with_name("postgres_watchdog.py")
    return subprocess.Popen(
        [sys.executable, "-I", "-S", script, str(os.getpid()), folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def find_free_port() -> int:
    while True:
        port = random.SystemRandom().choice(PORTS)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def living_processes() -> list[tuple[int, int]]:
    """Return (pid, parent's pid) of every process that is not a zombie."""
    if Path("/proc/self/stat").exists():
        rows = [row for row in map(read_status, Path("/proc").glob("[0-9]*")) if row]
    else:
        listing = subprocess.run(
            ["ps", "-A", "-o", "pid=,stat=,ppid="], capture_output=True, text=True, check=True
        )
        rows = [line.split() for line in listing.stdout.splitlines()]
    return [(int(pid), int(parent)) for pid, state, parent in rows if not state.startswith("Z")]


def read_status(process: Path) -> list[str]:
    """Return pid, state and parent's pid; nothing when the process has ended meanwhile."""
    try:
        status = (process / "stat").read_text()
    except OSError:
        return []
    # The command stands in brackets between pid and state, and may hold blanks and brackets.
    return [process.name, *status.rpartition(")")[2].split()[:2]]


def wait_until_gone(pids: set[int]) -> None:
    give_up = time.monotonic() + STOP_SECONDS
    while pids & {pid for pid, _ in living_processes()}:
        if time.monotonic() > give_up:
            message = f"processes {sorted(pids)} outlived SIGKILL"
            raise PostgresFailedError(message)
        time.sleep(0.02)


def main() -> None:
    with PostgresServer() as server:
        print(server.url(), flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            signal.pause()


if __name__ == "__main__":
    main()
