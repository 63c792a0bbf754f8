"""One browser for a test process, the library served from a thread, on both databases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold_links.web import application
from tests.browser.conftest import WAIT_MILLISECONDS
from tests.browser.conftest import browser as browser  # noqa: PLC0414 - a fixture here, too
from tests.browser.kit import Visit, visiting
from tests.kit.serving import serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    import leasehold as lh
    from leasehold.kit.data import Database


@pytest.fixture
def visit(browser: Browser, client: lh.Client, database: Database) -> Iterator[Visit]:
    """A page of a library that is empty."""
    with (
        serving(client, application()) as served,
        visiting(browser, served, locale="en-GB") as visit,
    ):
        visit.page.set_default_timeout(WAIT_MILLISECONDS)
        yield visit
