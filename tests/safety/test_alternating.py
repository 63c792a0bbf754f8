"""Tenants in turns over few connections, direct and through a pooler: no row is ever another's.

A part of the campaign that `python -m tests.safety.alternating` runs as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pooler import needs_pooler, pooler_before
from tests.safety import alternating_http
from tests.safety.alternating import VERBS, run, store_on_few_connections
from tests.safety.alternating_http import run_over_http, serving

if TYPE_CHECKING:
    from tests.safety.roles import Access

REQUESTS = 900
HTTP_REQUESTS = 250


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


@pytest.mark.timeout(180)
def test_no_answer_of_a_service_with_two_connections_has_a_word_of_anothers(
    access: Access,
) -> None:
    with serving(access.worker, 2) as (address, tokens):
        tally = run_over_http(address, tokens, HTTP_REQUESTS)
    assert tally.foreign == []
    assert set(tally.requests) == {name for name, _ in alternating_http.VERBS}


@needs_pooler
@pytest.mark.timeout(180)
def test_no_answer_of_a_service_behind_a_pooler_has_a_word_of_anothers(access: Access) -> None:
    with (
        pooler_before(access.worker, pool_size=2) as url,
        serving(url, 10) as (address, tokens),
    ):
        tally = run_over_http(address, tokens, HTTP_REQUESTS)
    assert tally.foreign == []
    assert sum(tally.requests.values()) == HTTP_REQUESTS
