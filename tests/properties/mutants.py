"""Stores that are wrong on purpose, one mistake each: the state machine has to notice every one."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.errors import KeyHeld, LeaseLost
from leasehold.model.keeping import Keep
from leasehold.model.keys import Unique
from leasehold.model.lanes import LaneClaims
from leasehold.model.needs import Released
from leasehold.model.results import Ended
from leasehold.model.states import State
from leasehold.store.base import Answer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from leasehold.model.ids import Fence, JobId, WorkerId
    from leasehold.model.keeping import Scope
    from leasehold.model.lanes import Pause, RuleChange
    from leasehold.model.saving import Save
    from leasehold.model.values import (
        Claim,
        Held,
        Lapsed,
        NewJob,
        Only,
        Promotion,
        Renewal,
        Settlement,
    )
    from leasehold.store.base import Answers, Store

FAR_SECONDS = 1_000_000.0


class Mutant:
    """Passes everything on; each kind below spoils one operation."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    @property
    def skew_seconds(self) -> float:
        return self._store.skew_seconds

    @skew_seconds.setter
    def skew_seconds(self, seconds: float) -> None:
        self._store.skew_seconds = seconds

    @contextlib.contextmanager
    def _ahead(self) -> Iterator[None]:
        self._store.skew_seconds += FAR_SECONDS
        yield
        self._store.skew_seconds -= FAR_SECONDS


class Remembering(Mutant):
    """Knows the newest lease of each job, so as to mistake an old one for it."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.newest: dict[JobId, Fence] = {}

    def claim(self, *args: Any, **options: Any) -> list[Claim]:
        return self._remember(self._store.claim(*args, **options))

    def claim_lanes(self, *args: Any, **options: Any) -> LaneClaims:
        taken = self._store.claim_lanes(*args, **options)
        self._remember(taken.claims)
        return taken

    def _remember(self, taken: list[Claim]) -> list[Claim]:
        self.newest |= {claim.job_id: claim.fence for claim in taken}
        return taken


class IgnoresTheFenceInFinish(Remembering):
    def finish(self, worker: WorkerId, settlements: Sequence[Settlement]) -> list[Answer]:
        forged = [
            msgspec.structs.replace(each, fence=self.newest.get(each.job_id, each.fence))
            for each in settlements
        ]
        return self._store.finish(worker, forged)


class IgnoresTheFenceInRenew(Remembering):
    def renew(self, worker: WorkerId, leases: Sequence[Held]) -> Renewal:
        forged = [
            msgspec.structs.replace(each, fence=self.newest.get(each.job_id, each.fence))
            for each in leases
        ]
        return self._store.renew(worker, forged)


class ForgetsToCount(Mutant):
    def finish(self, worker: WorkerId, settlements: Sequence[Settlement]) -> list[Answer]:
        free = [msgspec.structs.replace(each, is_counted=False) for each in settlements]
        return self._store.finish(worker, free)


class AnswersSettledToEverybody(Mutant):
    def finish(self, worker: WorkerId, settlements: Sequence[Settlement]) -> list[Answer]:
        self._store.finish(worker, settlements)
        return [Answer.SETTLED for _ in settlements]


class SettlesForAnyWorker(Mutant):
    def finish(self, worker: WorkerId, settlements: Sequence[Settlement]) -> list[Answer]:
        jobs = [self._store.get(each.job_id) for each in settlements]
        holders = {job.worker for job in jobs if job and job.worker is not None}
        return self._store.finish(min(holders, default=worker), settlements)


class TakesBackRenewedLeases(Mutant):
    """Loses the race with a renewal: it looks at the lease again instead of at what it saw."""

    def reclaim(self, leases: Sequence[tuple[Lapsed, float]]) -> dict[JobId, State]:
        now = {each.job_id: each for each in self._store.lapsed(limit=1000)}
        return self._store.reclaim([(now.get(seen.job_id, seen), wait) for seen, wait in leases])


class RevivesWhatEndedBeforeItsReclaim(Mutant):
    """Loses the race with a finish: the job runs again though it had ended."""

    def reclaim(self, leases: Sequence[tuple[Lapsed, float]]) -> dict[JobId, State]:
        taken = self._store.reclaim(leases)
        for seen, _ in leases:
            if seen.job_id not in taken:
                with contextlib.suppress(KeyHeld):
                    self._store.retry(seen.job_id)
        return taken


class TakesBackTooEarly(Mutant):
    def lapsed(self, *, limit: int) -> list[Lapsed]:
        with self._ahead():
            return self._store.lapsed(limit=limit)


class PromotesTooEarly(Mutant):
    def promote(self, *, limit: int) -> Promotion:
        with self._ahead():
            return self._store.promote(limit=limit)


class EnqueuesOneByOne(Mutant):
    def enqueue(self, jobs: Sequence[NewJob]) -> Answers:
        return {
            job_id: standing
            for job in jobs
            for job_id, standing in self._store.enqueue([job]).items()
        }


class ForgetsACancelOfWhatRuns(Mutant):
    def cancel(self, job_id: JobId, *, by: str | None) -> State | None:
        job = self._store.get(job_id)
        if job and job.state is State.RUNNING:
            return State.RUNNING
        return self._store.cancel(job_id, by=by)


class CommitsWithoutALease(Mutant):
    @contextlib.contextmanager
    def transaction(self, *args: Any, **options: Any) -> Iterator[Any]:
        with contextlib.suppress(LeaseLost), self._store.transaction(*args, **options) as opened:
            yield opened


class ClaimsInTheWrongOrder(Mutant):
    def claim(self, *args: Any, **options: Any) -> list[Claim]:
        return self._store.claim(*args, **options)[::-1]


class LosesAClaimsAnswer(Mutant):
    def claim(self, *args: Any, **options: Any) -> list[Claim]:
        return self._store.claim(*args, **options)[:-1]


class MixesSuspectsWithTheInnocent(Mutant):
    def claim(self, *args: Any, is_for_suspects: bool, **options: Any) -> list[Claim]:
        del is_for_suspects
        innocent = self._store.claim(*args, is_for_suspects=False, **options)
        return innocent or self._store.claim(*args, is_for_suspects=True, **options)


class ForgetsWhatAClaimIsNarrowedTo(Mutant):
    def claim(self, *args: Any, only: Only | None = None, **options: Any) -> list[Claim]:
        del only
        return self._store.claim(*args, **options)


class TellsOfEndsThatWereUndone(Mutant):
    """Says that a job has ended by its last outcome, although it was retried."""

    def ended(self, job_ids: Sequence[JobId]) -> Mapping[JobId, Ended | None]:
        found = dict(self._store.ended(job_ids))
        for job_id in set(job_ids) - found.keys():
            past = self._store.history(job_id)
            if past and past[-1].outcome in {"dead", "cancelled"}:
                state = State(past[-1].outcome)
                found[job_id] = Ended(job_id=job_id, kind="plain", state=state)
        return found


class ClaimsLanesInTheWrongOrder(Mutant):
    def claim_lanes(self, *args: Any, **options: Any) -> LaneClaims:
        claims, busy = self._store.claim_lanes(*args, **options)
        return LaneClaims(claims[::-1], busy)


class LetsOneMoreRun(Mutant):
    def change_throttle(self, name: str, change: RuleChange) -> None:
        assert isinstance(change.running, int)
        self._store.change_throttle(
            name, msgspec.structs.replace(change, running=change.running + 1)
        )


class ClaimsFromPausedQueues(Mutant):
    def pause_queue(self, name: str, pause: Pause) -> None:
        del name, pause


class ShortensThePauseOfAKey(Mutant):
    """Lets a handler end what people, or another handler, have paused for longer."""

    def pause_lane(self, worker: WorkerId, lease: Held, pause: Pause) -> bool:
        job = self._store.get(lease.job_id)
        if job and job.lane and self._store.pause_lane(worker, lease, pause):
            self._store.pause_throttle(job.lane, pause)
            return True
        return False


class IgnoresTheFenceInPause(Remembering):
    def pause_lane(self, worker: WorkerId, lease: Held, pause: Pause) -> bool:
        fence = self.newest.get(lease.job_id, lease.fence)
        return self._store.pause_lane(worker, msgspec.structs.replace(lease, fence=fence), pause)


class IgnoresTheFenceInSave(Remembering):
    def save(self, worker: WorkerId, saves: Sequence[Save]) -> list[bool]:
        forged = [
            msgspec.structs.replace(each, fence=self.newest.get(each.job_id, each.fence))
            for each in saves
        ]
        return self._store.save(worker, forged)


class SavesWithoutALease(Mutant):
    @contextlib.contextmanager
    def saving(self, *args: Any, **options: Any) -> Iterator[Any]:
        with contextlib.suppress(LeaseLost), self._store.saving(*args, **options) as opened:
            yield opened


class ForgetsSteps(Mutant):
    def save(self, worker: WorkerId, saves: Sequence[Save]) -> list[bool]:
        bare = [msgspec.structs.replace(each, step=None) for each in saves]
        return self._store.save(worker, bare)


class IgnoresKeys(Mutant):
    def enqueue(self, jobs: Sequence[NewJob]) -> Answers:
        return self._store.enqueue([msgspec.structs.replace(job, unique=None) for job in jobs])


class SkipsWhatShouldReplace(Mutant):
    def enqueue(self, jobs: Sequence[NewJob]) -> Answers:
        return self._store.enqueue([self._tame(job) for job in jobs])

    def _tame(self, job: NewJob) -> NewJob:
        return msgspec.structs.replace(job, unique=job.unique and Unique(key=job.unique.key))


class LetsNobodyGo(Mutant):
    def hand_over(self, *, limit: int) -> int:
        del limit
        return 0


class TakesAwayWhatIsKept(Mutant):
    """Keeps no ended job, whatever is said of its state."""

    def set_retention(self, scope: Scope, name: str, keep: Keep, *, by: str | None) -> None:
        assert not keep.says_nothing
        nothing = Keep(succeeded=0.0, dead=0.0, cancelled=0.0)
        self._store.set_retention(scope, name, nothing, by=by)


class HandsBackWhatIsKnown(Mutant):
    def release_unknown(self, worker: WorkerId, known: Sequence[Held]) -> int:
        del known
        return self._store.release_unknown(worker, [])


class IgnoresNeeds(Mutant):
    def enqueue(self, jobs: Sequence[NewJob]) -> Answers:
        return self._store.enqueue([msgspec.structs.replace(job, needs=None) for job in jobs])


class TakesAnyEndForGood(Mutant):
    def enqueue(self, jobs: Sequence[NewJob]) -> Answers:
        return self._store.enqueue([self._blind(job) for job in jobs])

    def _blind(self, job: NewJob) -> NewJob:
        needs = job.needs and msgspec.structs.replace(job.needs, even_if_failed=True)
        return msgspec.structs.replace(job, needs=needs)


class SweepsNobody(Mutant):
    def sweep_dependents(self, *, limit: int) -> Released:
        del limit
        return Released()


MUTANTS: tuple[type[Mutant], ...] = (
    IgnoresTheFenceInFinish,
    IgnoresTheFenceInRenew,
    ForgetsToCount,
    AnswersSettledToEverybody,
    SettlesForAnyWorker,
    TakesBackRenewedLeases,
    RevivesWhatEndedBeforeItsReclaim,
    TakesBackTooEarly,
    PromotesTooEarly,
    EnqueuesOneByOne,
    ForgetsACancelOfWhatRuns,
    CommitsWithoutALease,
    ClaimsInTheWrongOrder,
    LosesAClaimsAnswer,
    MixesSuspectsWithTheInnocent,
    ForgetsWhatAClaimIsNarrowedTo,
    TellsOfEndsThatWereUndone,
    ClaimsLanesInTheWrongOrder,
    LetsOneMoreRun,
    ClaimsFromPausedQueues,
    ShortensThePauseOfAKey,
    IgnoresTheFenceInPause,
    IgnoresTheFenceInSave,
    SavesWithoutALease,
    ForgetsSteps,
    IgnoresKeys,
    SkipsWhatShouldReplace,
    LetsNobodyGo,
    HandsBackWhatIsKnown,
    TakesAwayWhatIsKept,
    IgnoresNeeds,
    TakesAnyEndForGood,
    SweepsNobody,
)
