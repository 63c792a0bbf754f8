"""Fixtures that every test may use: a database of either kind, empty and its own."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.browser.chromium import HOW_TO_GET as NO_BROWSER
from tests.postgres_binaries import PostgresNotFoundError, find_binaries
from tests.postgres_server import URL_VARIABLE, PostgresServer

# A test never asserts a speed: a busy machine is no failure.
settings.register_profile("leasehold", deadline=None)
settings.load_profile("leasehold")


def pytest_configure(config: pytest.Config) -> None:
    if os.environ.get("LEASEHOLD_REQUIRE_POSTGRES") != "1" or URL_VARIABLE in os.environ:
        return
    try:
        find_binaries()
    except PostgresNotFoundError as error:
        message = f"LEASEHOLD_REQUIRE_POSTGRES=1, but {error}"
        raise pytest.UsageError(message) from error


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say where nobody can miss it that there was no browser."""
    skipped = terminalreporter.stats.get("skipped", [])
    if any(NO_BROWSER in str(report.longrepr) for report in skipped):
        terminalreporter.write_sep("!", "browser tests skipped", red=True, bold=True)
        terminalreporter.write_line(NO_BROWSER, red=True)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """One server per test process, started by the first test that wants it."""
    with PostgresServer() as server:
        yield server


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    url = postgres_server.create_database()
    yield url
    postgres_server.drop_database(url)


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'leasehold.db'}"
