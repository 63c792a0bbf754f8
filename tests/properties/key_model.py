"""Keys as plain Python: who has one, who stands behind, and what the next one of it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from leasehold.errors import KeyHeld
from leasehold.model.keys import Mode, Standing, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.model.ids import JobId
    from leasehold.model.values import NewJob
    from tests.properties.records import Record

Key: TypeAlias = tuple[str, str]  # a tenant's


@dataclass(slots=True)
class Seat:
    """A key: the last job that was accepted under it, and one accepted while that ran."""

    holder: JobId
    behind: JobId | None = None


class Keys:
    """Decides over keys, in the modes skip and replace, without any memory of what has ended."""

    def __init__(
        self,
        jobs: dict[JobId, Record],
        write: Callable[[NewJob], Record],
        end: Callable[[Record, str], None],
    ) -> None:
        self.seats: dict[Key, Seat] = {}
        self._jobs = jobs
        self._write = write
        self._end = end

    def enqueue(self, job: NewJob) -> Standing | None:
        """Write a job with a key, or do not; None when nobody had it."""
        assert job.unique is not None
        key = (job.tenant, job.unique.key)
        seat = self.seats.get(key)
        live = self.live(seat)
        if seat is None or not live:
            return self._take(key, job, None)
        if job.unique.mode == Mode.SKIP:
            return Standing(live[-1], Verdict.LIVE)
        runs = self._place(seat.holder) == "lease"
        ended = [job_id for job_id in live if not (runs and job_id == seat.holder)]
        for job_id in ended:
            self._end(self._jobs[job_id], f"replaced by job {job.id}")
        if not runs:
            return self._take(key, job, live[0])
        self._write(job).stand_behind()
        seat.behind = job.id
        return Standing(job.id, Verdict.BEHIND, seat.holder)

    def _take(self, key: Key, job: NewJob, other: JobId | None) -> Standing | None:
        self._write(job)
        self.seats[key] = Seat(job.id)
        return Standing(job.id, Verdict.REPLACED, other) if other else None

    def take_back(self, job_id: JobId) -> None:
        """Give the key to an ended job that is retried, unless another live one has it."""
        if key := key_of(self._jobs[job_id].asked):
            if live := self.live(self.seats.get(key)):
                raise KeyHeld(job_id, key[1], live[-1])
            self.seats[key] = Seat(job_id)

    def forget(self, job_id: JobId) -> None:
        """Forget the key of a job that is deleted, unless somebody stands behind it."""
        key = key_of(self._jobs[job_id].asked)
        seat = self.seats.get(key) if key else None
        if key and seat and seat.holder == job_id and set(self.live(seat)) <= {job_id}:
            del self.seats[key]

    def is_forgettable(self, key: Key) -> bool:
        """Whether the job that had it is gone, and nobody stands behind that one."""
        seat = self.seats[key]
        return seat.holder not in self._jobs and not self.live(seat)

    def hand_over(self, now: float) -> int:
        """Let those go that stand behind what runs no more."""
        moved = 0
        for seat in self.seats.values():
            if not seat.behind or self._place(seat.holder) == "lease":
                continue
            following, seat.behind = seat.behind, None
            if not self._place(following):  # cancelled or deleted since
                continue
            if self._place(seat.holder):
                self._end(self._jobs[seat.holder], f"replaced by job {following}")
            seat.holder = following
            self._jobs[following].let_go(now)
            moved += 1
        return moved

    def live(self, seat: Seat | None) -> list[JobId]:
        """Name the live ones: the holder, then who stands behind it."""
        named = [seat.holder, seat.behind] if seat else []
        return [job_id for job_id in named if job_id and self._place(job_id)]

    def shown(self) -> dict[Key, tuple[str, str | None]]:
        """Say who has each key, and who stands behind that one and is alive."""
        return {
            key: (str(seat.holder), str(seat.behind) if self._is_behind(seat.behind) else None)
            for key, seat in self.seats.items()
        }

    def _is_behind(self, job_id: JobId | None) -> bool:
        return job_id in self._jobs and self._jobs[job_id].is_behind

    def _place(self, job_id: JobId) -> str:
        return self._jobs[job_id].place if job_id in self._jobs else ""


def key_of(job: NewJob) -> Key | None:
    return (job.tenant, job.unique.key) if job.unique else None
