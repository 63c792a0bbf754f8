"""One browser for a test process, the application served from a thread, on both databases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold_sync.web import application
from tests.browser.conftest import WAIT_MILLISECONDS
from tests.browser.conftest import browser as browser  # noqa: PLC0414 - a fixture here, too
from tests.browser.kit import Visit, visiting
from tests.kit.serving import serving
from tests.sync.web.conftest import app as app  # noqa: PLC0414
from tests.sync.web.conftest import server as server  # noqa: PLC0414
from tests.sync.web.test_serving import gate as gate  # noqa: PLC0414

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    import leasehold as lh
    from leasehold.kit.data import Database


@pytest.fixture
def visit(browser: Browser, queue: lh.Client, database: Database) -> Iterator[Visit]:
    with (
        serving(queue, application()) as served,
        visiting(browser, served, locale="en-GB") as visit,
    ):
        visit.page.set_default_timeout(WAIT_MILLISECONDS)
        yield visit
