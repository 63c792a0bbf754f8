"""The tester is tested: each store that is wrong on purpose is found out by the state machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.properties.mutants import (
    MUTANTS,
    IgnoresTheFenceInRenew,
    IgnoresTheFenceInSave,
    Mutant,
)

if TYPE_CHECKING:
    from tests.properties.conftest import Laboratory
    from tests.properties.machine import QueueMachine

ENOUGH = 1_000
# Where the search begins for those that are found after hundreds of histories else. When the rules
# change they may be found later again: another number helps, and none is needed.
BEGINNINGS: dict[type[Mutant], int] = {IgnoresTheFenceInSave: 6, IgnoresTheFenceInRenew: 8}


@pytest.mark.timeout(900)  # some are found soon, some after hundreds of histories
@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_wrong_store_is_found_out(
    sqlite_laboratory: Laboratory, search: settings, mutant: type[Mutant]
) -> None:
    def machine() -> QueueMachine:
        return sqlite_laboratory.mutant(mutant)

    if mutant in BEGINNINGS:
        seed(BEGINNINGS[mutant])(machine)
    hunt = settings(search, max_examples=ENOUGH, phases=[Phase.generate])
    with pytest.raises(AssertionError):
        run_state_machine_as_test(machine, settings=hunt)  # type: ignore[arg-type]  # as above
