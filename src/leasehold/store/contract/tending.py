"""What workers do beside running jobs: promote, take back, and show that they live."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from leasehold.model.ids import JobId, WorkerId
from leasehold.model.lanes import Rule
from leasehold.model.states import State
from leasehold.model.values import Fleet, Lapsed, Promotion, Survey, TaskPolicy, WorkerInfo


class TendingStore(Protocol):
    """Keeps jobs moving, and knows the workers."""

    def survey(self, queues: Sequence[str], kinds: Sequence[str]) -> Survey:
        """Look, at little cost, whether there is anything to do for a worker. Takes nothing."""

    def promote(self, *, limit: int) -> Promotion:
        """Move scheduled jobs that are due to ready."""

    def hand_over(self, *, limit: int) -> int:
        """Let jobs go that waited behind one of their key which runs no more; says how many.

        Running ones that are to stop for a newer job are told so here.
        """

    def lapsed(self, *, limit: int) -> list[Lapsed]:
        """List leases whose end has passed, oldest first. Takes nothing."""

    def reclaim(self, leases: Sequence[tuple[Lapsed, float]]) -> dict[JobId, State]:
        """Take back these leases if they stand unchanged, each coming back after the given seconds.

        The first lapse is not counted and makes a suspect; a suspect's lapse is counted; the last
        one, or one of a kind that dies on lapse, ends the job.
        """

    def register(
        self, worker: WorkerInfo, tasks: Sequence[TaskPolicy], rules: Sequence[Rule] = ()
    ) -> None:
        """Write down a worker, the policies of its tasks and its throttles.

        A throttle that somebody has set at run time stays as they set it.
        """

    def beat(self, worker: WorkerId, *, running: int) -> Fleet:
        """Show that the worker is there; says who else is."""

    def farewell(self, worker: WorkerId) -> None:
        """Strike the worker off."""

    def workers(self) -> list[WorkerInfo]: ...

    def tend(self) -> None:
        """Do the store's own small chores (old workers; SQLite's checkpoint). Cheap when idle."""
