"""Claims, on a store and on the model side by side, for the rules to choose from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.model.lanes import Ask
from tests.properties import invariants
from tests.properties.choices import KINDS, UNIT
from tests.properties.compare import lane_text
from tests.properties.ground import Ground

if TYPE_CHECKING:
    from leasehold.model.ids import WorkerId
    from leasehold.model.lanes import Place
    from leasehold.model.values import Claim, Want


class Claiming(Ground):
    """Claims of what is ready, and of lanes."""

    def do_claim(
        self,
        worker: WorkerId,
        wants: list[Want],
        limit: int,
        kinds: tuple[str, ...],
        *,
        suspects: bool,
    ) -> None:
        taken = self.store.claim(
            worker,
            wants,
            limit=limit,
            leases=dict.fromkeys(kinds, UNIT),
            is_for_suspects=suspects,
        )
        wanted = self.model.claim(
            worker,
            wants,
            limit=limit,
            kinds=kinds,
            lease_seconds=UNIT,
            is_for_suspects=suspects,
            fences=self.next_fences(taken),
        )
        self.note(worker, taken, wanted)

    def do_claim_lanes(self, worker: WorkerId, lanes: list[Place], limit: int, most: int) -> None:
        taken = self.ask(worker, lanes, limit, most, KINDS)
        wanted = self.model.claim_lanes(
            worker,
            lanes,
            limit=limit,
            most=most,
            kinds=KINDS,
            lease_seconds=UNIT,
            fences=self.next_fences(taken),
        )
        self.note(worker, taken, wanted)

    def ask(
        self,
        worker: WorkerId,
        lanes: list[Place],
        limit: int,
        most: int,
        kinds: tuple[str, ...],
    ) -> list[Claim]:
        asks = [Ask(lane_text(lane), most) for lane in lanes]
        leases = dict.fromkeys(kinds, UNIT)
        taken = self.store.claim_lanes(worker, asks, limit=limit, leases=leases).claims
        invariants.check_first_come(self.tables, taken)
        return taken
