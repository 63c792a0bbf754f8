"""No request that Schemathesis makes up breaks memory's API or its description."""

from __future__ import annotations

import pytest

from tests.memory.fuzzing import fuzz


@pytest.mark.timeout(600)
def test_no_request_breaks_the_api_or_its_description(url: str) -> None:
    done = fuzz(url, examples=1)
    assert done.is_clean, done.text + done.log
    assert done.cases > 50
