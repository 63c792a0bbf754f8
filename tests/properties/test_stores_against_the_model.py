"""The same random operations on a pure model and on each store: no difference is visible, ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis.stateful import run_state_machine_as_test

if TYPE_CHECKING:
    from hypothesis import settings

    from tests.properties.conftest import Laboratory


@pytest.mark.timeout(600)
def test_the_store_does_what_the_model_does(laboratory: Laboratory, search: settings) -> None:
    # Any callable that makes a machine will do, though it is annotated as a class.
    run_state_machine_as_test(laboratory.machine, settings=search)  # type: ignore[arg-type]
