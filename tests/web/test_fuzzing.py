"""No request that Schemathesis makes up breaks the service or its description."""

from __future__ import annotations

import pytest

from tests.web.fuzzing import fuzz


@pytest.mark.timeout(600)
def test_no_request_breaks_the_service_or_its_description(store_url: str) -> None:
    done = fuzz(store_url, examples=2)
    assert done.is_clean, done.text + done.log
    assert done.cases > 1_000
