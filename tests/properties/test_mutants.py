"""The tester is tested: each store that is wrong on purpose is found out by the state machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.properties import mutants
from tests.properties.mutants import MUTANTS, Mutant

if TYPE_CHECKING:
    from tests.properties.conftest import Laboratory
    from tests.properties.machine import QueueMachine

ENOUGH = 1_000
# Where the search begins for those that are found late else: from here within a few histories. When
# the rules change they may be found later again: another number helps, and none is needed.
BEGINNINGS: dict[type[Mutant], int] = {
    mutants.IgnoresTheFenceInFinish: 13,
    mutants.IgnoresTheFenceInRenew: 27,
    mutants.SettlesForAnyWorker: 12,
    mutants.TakesBackRenewedLeases: 4,
    mutants.RevivesWhatEndedBeforeItsReclaim: 8,
    mutants.TakesBackTooEarly: 10,
    mutants.PromotesTooEarly: 12,
    mutants.EnqueuesOneByOne: 2,
    mutants.ClaimsInTheWrongOrder: 6,
    mutants.ForgetsWhatAClaimIsNarrowedTo: 9,
    mutants.ClaimsLanesInTheWrongOrder: 4,
    mutants.LetsOneMoreRun: 4,
    mutants.ClaimsFromPausedQueues: 2,
    mutants.IgnoresTheFenceInPause: 25,
    mutants.IgnoresTheFenceInSave: 10,
    mutants.SavesWithoutALease: 9,
    mutants.SkipsWhatShouldReplace: 7,
    mutants.LetsNobodyGo: 4,
    mutants.HandsBackWhatIsKnown: 11,
    mutants.IgnoresNeeds: 12,
    mutants.TakesAnyEndForGood: 4,
    mutants.SweepsNobody: 12,
}


@pytest.mark.timeout(900)
@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_wrong_store_is_found_out(
    sqlite_laboratory: Laboratory, search: settings, mutant: type[Mutant]
) -> None:
    def machine() -> QueueMachine:
        return sqlite_laboratory.mutant(mutant)

    seed(BEGINNINGS.get(mutant, 0))(machine)
    hunt = settings(search, max_examples=ENOUGH, phases=[Phase.generate])
    with pytest.raises(AssertionError):
        run_state_machine_as_test(machine, settings=hunt)  # type: ignore[arg-type]  # as above
