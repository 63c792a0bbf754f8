"""Random operations on batches, callbacks and dependencies, on both stores and on a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.properties.conftest import unchanged
from tests.properties.together_machine import TogetherMachine
from tests.properties.together_mutants import MUTANTS, WrongStatement
from tests.races.kit import mutate

if TYPE_CHECKING:
    from tests.properties.conftest import Laboratory

ENOUGH = 1_000


def run(laboratory: Laboratory, search: settings, beginning: int | None = None) -> None:
    def machine() -> TogetherMachine:
        return laboratory.make(TogetherMachine, unchanged)

    if beginning is not None:
        seed(beginning)(machine)
    run_state_machine_as_test(machine, settings=search)  # type: ignore[arg-type]  # it makes one


@pytest.mark.timeout(600)
def test_the_store_does_what_the_model_does(laboratory: Laboratory, search: settings) -> None:
    run(laboratory, settings(search, max_examples=max(1, search.max_examples // 2)))


@pytest.mark.timeout(600)
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.mistake)
def test_a_wrong_store_is_found_out(
    sqlite_laboratory: Laboratory,
    search: settings,
    mutant: WrongStatement,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mutate(monkeypatch, mutant.statement, mutant.guard, mutant.instead)
    hunt = settings(search, max_examples=ENOUGH, phases=[Phase.generate])
    with pytest.raises(AssertionError):
        run(sqlite_laboratory, hunt, mutant.beginning)
