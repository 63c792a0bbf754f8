"""Tenants in turns over few connections, direct and through a pooler: no row is ever another's.

A part of the campaign that `python -m tests.safety.alternating` runs as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pooler import needs_pooler, pooler_before
from tests.safety.alternating import VERBS, run, store_on_few_connections

if TYPE_CHECKING:
    from tests.safety.roles import Access

REQUESTS = 900


@pytest.mark.timeout(180)
def test_no_row_is_anothers_over_two_pooled_connections(access: Access) -> None:
    with store_on_few_connections(access.worker, 2) as store:
        tally = run(store, REQUESTS)
    assert tally.foreign == []
    assert sum(tally.requests.values()) == REQUESTS
    assert set(tally.requests) == {name for name, _ in VERBS}


@needs_pooler
@pytest.mark.timeout(180)
def test_no_row_is_anothers_through_a_pooler(access: Access) -> None:
    with (
        pooler_before(access.worker, pool_size=2) as url,
        store_on_few_connections(url, 10) as store,
    ):
        tally = run(store, REQUESTS)
    assert tally.foreign == []
    assert sum(tally.requests.values()) == REQUESTS
