"""What an example sets for its whole program is not for the next test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.watch.providers import forget_provider

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _own_provider() -> Iterator[None]:
    yield
    forget_provider()
