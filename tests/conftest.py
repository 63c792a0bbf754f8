"""Fixtures that every test may use: a database of either kind, empty and its own."""

import gc
import logging
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import pytest
from hypothesis import settings

from leasehold.store import open_store
from tests.browser.chromium import HOW_TO_GET as NO_BROWSER
from tests.conformance.tables import open_tables
from tests.in_memory import compile_once, use_memory
from tests.postgres_binaries import PostgresNotFoundError, find_binaries
from tests.postgres_server import URL_VARIABLE, PostgresServer
from tests.recycling import Shelf

# A test never asserts a speed: a busy machine is no failure.
settings.register_profile("leasehold", deadline=None)
settings.load_profile("leasehold")

_LOGGERS: Final = (logging.getLogger(), logging.getLogger("leasehold"))
# For tests that crash no server: a commit need not wait for a disk.
HURRY: Final = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def pytest_configure(config: pytest.Config) -> None:
    use_memory()
    compile_once()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell that runs us in its background has us ignore it, and so would all that we start.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.disable()  # until all tests are collected: there is nothing to throw away
    if os.environ.get("LEASEHOLD_REQUIRE_POSTGRES") != "1" or URL_VARIABLE in os.environ:
        return
    try:
        find_binaries()
    except PostgresNotFoundError as error:
        message = f"LEASEHOLD_REQUIRE_POSTGRES=1, but {error}"
        raise pytest.UsageError(message) from error


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """Let no search for garbage walk through all tests and modules, which stay to the end."""
    gc.freeze()
    gc.enable()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say where nobody can miss it that there was no browser."""
    skipped = terminalreporter.stats.get("skipped", [])
    if any(NO_BROWSER in str(report.longrepr) for report in skipped):
        terminalreporter.write_sep("!", "browser tests skipped", red=True, bold=True)
        terminalreporter.write_line(NO_BROWSER, red=True)


@pytest.fixture(autouse=True)
def _logging_undone() -> Iterator[None]:
    """Programs set up logging for a process of their own; here the next test has its own again."""
    known = [(logger, logger.level, logger.propagate, logger.handlers[:]) for logger in _LOGGERS]
    yield
    for logger, level, propagates, handlers in known:
        logger.setLevel(level)
        logger.propagate = propagates
        logger.handlers[:] = handlers


@pytest.fixture(scope="session", autouse=True)
def _counts_are_cheap() -> Iterator[None]:
    """On a busy machine a count may be so slow that it stands for seconds; what came is missed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("leasehold.statistics.DEAR_SECONDS", float("inf"))
        yield


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """One server per test process, started by the first test that wants it; none crashes it."""
    with PostgresServer(settings=HURRY) as server:
        yield server


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    url = postgres_server.create_database()
    yield url
    postgres_server.drop_database(url)


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'leasehold.db'}"


@pytest.fixture(scope="session")
def postgres_template(postgres_server: PostgresServer) -> Iterator[str]:
    """The name of a database with leasehold's tables: to copy it is quicker than to make them."""
    url = postgres_server.create_database()
    with closing(open_store(url)) as store:
        store.migrate()
    yield urlsplit(url).path.removeprefix("/")
    postgres_server.drop_database(url)


@pytest.fixture
def migrated_postgres_url(postgres_server: PostgresServer, postgres_template: str) -> Iterator[str]:
    """A database with leasehold's tables, empty and a test's own."""
    url = postgres_server.create_database(postgres_template)
    with open_tables(url) as tables:
        tables.empty()  # as if it had been made now
    yield url
    postgres_server.drop_database(url)


@pytest.fixture(scope="session")
def shelf() -> Iterator[Shelf]:
    """Connections that tests of one shared database leave to each other."""
    with pytest.MonkeyPatch.context() as patch, closing(Shelf()) as shelf:
        shelf.install(patch)
        yield shelf


@pytest.fixture(scope="session")
def shared_postgres_url(
    postgres_server: PostgresServer, postgres_template: str, shelf: Shelf
) -> Iterator[str]:
    """One for the whole session; who takes it empties it (`shelf.empty`)."""
    url = postgres_server.create_database(postgres_template)
    yield shelf.share(url)
    postgres_server.drop_database(url)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("template") / "leasehold.db"
    with closing(open_store(f"sqlite:///{file}")) as store:
        store.migrate()
    return file


@pytest.fixture
def migrated_sqlite_url(sqlite_template: Path, sqlite_url: str) -> str:
    """The same in a file."""
    shutil.copy(sqlite_template, sqlite_url.removeprefix("sqlite:///"))
    with open_tables(sqlite_url) as tables:
        tables.empty()
    return sqlite_url


@pytest.fixture(scope="session")
def shared_sqlite_url(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The same as the shared one on PostgreSQL."""
    copied = shutil.copy(sqlite_template, tmp_path_factory.mktemp("shared"))
    return f"sqlite:///{copied}"
