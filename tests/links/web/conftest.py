"""The library inside of the service, on either database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.links.web.kit import Asker, serve_inside

if TYPE_CHECKING:
    from collections.abc import Iterator

    import leasehold as lh
    from leasehold.kit.data import Database


@pytest.fixture
def asker(client: lh.Client, database: Database) -> Iterator[Asker]:
    """Somebody who is asked nothing: the demo user."""
    with serve_inside(client) as asker:
        yield asker
