"""One browser for a test process, the application served from a thread, on both databases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import leasehold as lh
from leasehold_documents.extracting import close_engines
from leasehold_documents.settings import Settings, lending
from leasehold_documents.web import application
from tests.browser.conftest import WAIT_MILLISECONDS
from tests.browser.conftest import browser as browser  # noqa: PLC0414 - a fixture here, too
from tests.browser.kit import Visit, visiting
from tests.documents.access.kit import Two, make_two
from tests.documents.web.kit import settings_for
from tests.kit.serving import Serving, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

    from leasehold.kit.data import Database


@pytest.fixture
def queue(url: str) -> Iterator[lh.Client]:
    """A client with keys, to encrypt passwords with."""
    with lh.Client(url, keyring=lh.Keyring.generate()) as client:
        yield client


@pytest.fixture(scope="session", autouse=True)
def _engines() -> Iterator[None]:
    """Keep the parsers' processes for all tests here."""
    yield
    close_engines()


@pytest.fixture
def said(tmp_path: Path) -> Iterator[Settings]:
    """Nobody is asked who they are."""
    with lending(settings_for(tmp_path, secret="")) as said:
        yield said


@pytest.fixture
def two(database: Database) -> Two:
    return make_two(database)


@pytest.fixture
def served(queue: lh.Client, said: Settings, two: Two) -> Iterator[Serving]:
    with serving(queue, application()) as served:
        yield served


@pytest.fixture
def visit(browser: Browser, served: Serving) -> Iterator[Visit]:
    """Ada, at a page in English."""
    with visiting(browser, served, locale="en-GB") as visit:
        visit.page.set_default_timeout(WAIT_MILLISECONDS)
        yield visit
