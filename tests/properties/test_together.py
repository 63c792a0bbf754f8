"""Random operations on batches, callbacks and dependencies, on both stores and on a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.properties.conftest import unchanged
from tests.properties.together_machine import TogetherMachine

if TYPE_CHECKING:
    from tests.properties.conftest import Laboratory


def run(laboratory: Laboratory, search: settings) -> None:
    def machine() -> TogetherMachine:
        return laboratory.make(TogetherMachine, unchanged)

    run_state_machine_as_test(machine, settings=search)  # type: ignore[arg-type]  # it makes one


@pytest.mark.timeout(600)
def test_the_store_does_what_the_model_does(laboratory: Laboratory, search: settings) -> None:
    run(laboratory, settings(search, max_examples=max(1, search.max_examples // 2)))
