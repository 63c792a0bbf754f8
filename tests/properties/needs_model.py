"""Jobs that wait for others, in the model: judged anew each time, by the words of the guide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.model.states import State

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from leasehold.model.ids import JobId
    from leasehold.model.needs import Needs
    from tests.properties.records import Record

LET_GO, FORSAKEN = "let go", "forsaken"


class Waiting:
    """Says what is to become of jobs that wait for others."""

    def __init__(self, jobs: dict[JobId, Record]) -> None:
        self._jobs = jobs

    def dependents(self) -> list[JobId]:
        return [job_id for job_id, record in self._jobs.items() if self.is_dependent(record)]

    def of(self, ended: Iterable[JobId]) -> list[JobId]:
        """Name those that wait for one of these."""
        wanted = set(ended)
        return [
            job_id
            for job_id in self.dependents()
            if (needs := self._jobs[job_id].asked.needs) and wanted & set(needs.jobs)
        ]

    def is_needed(self, job_id: JobId) -> bool:
        """Whether a job that may still want its result was made to wait for it."""
        return any(
            record.state is not State.SUCCEEDED
            and record.asked.needs
            and job_id in record.asked.needs.jobs
            for record in self._jobs.values()
        )

    @staticmethod
    def is_dependent(record: Record) -> bool:
        return record.is_behind and record.asked.needs is not None

    def judge(
        self, chosen: Iterable[JobId], recent: Collection[JobId] | None = None
    ) -> dict[JobId, str]:
        """Judge all at one moment; what has to wait on is left out."""
        told = {job_id: self.verdict(self._jobs[job_id], recent) for job_id in chosen}
        return {job_id: verdict for job_id, verdict in told.items() if verdict}

    def complain(
        self, judged: Mapping[JobId, str], recent: Collection[JobId] | None
    ) -> dict[JobId, str]:
        """Say why those are forsaken that are."""
        return {
            job_id: self._complaint(self._jobs[job_id], recent)
            for job_id, verdict in judged.items()
            if verdict == FORSAKEN
        }

    def _complaint(self, record: Record, recent: Collection[JobId] | None) -> str:
        needs = _needs(record)
        if needs.any:
            return "cancelled because none of the jobs that it waits for succeeded"
        bad = min(each for each, state in self._news(record, recent).items() if state == "bad")
        state = self._jobs[bad].state if bad in self._jobs else "gone"
        return f"cancelled because job {bad} that it waits for is {state}"

    def _news(self, record: Record, recent: Collection[JobId] | None) -> dict[JobId, str]:
        """Say how the needed ones stand; of others than the recent only if all hope is gone."""
        needs = _needs(record)
        states = {each: self._stand(each, record) for each in needs.jobs}
        is_all = recent is None or not any(each in _open(needs) for each in states.values())
        return {each: state for each, state in states.items() if is_all or each in (recent or ())}

    def verdict(self, record: Record, recent: Collection[JobId] | None = None) -> str:
        needs = _needs(record)
        is_open = any(self._stand(each, record) in _open(needs) for each in needs.jobs)
        told = set(self._news(record, recent).values())
        is_good = bool(told - {"open"} if needs.even_if_failed else told & {"done"})
        if needs.any:
            return LET_GO if is_good else "" if is_open else FORSAKEN
        if "bad" in told and not needs.even_if_failed:
            return FORSAKEN
        return "" if is_open else LET_GO

    def _stand(self, job_id: JobId, waits: Record) -> str:
        """Say how a needed job stands to the one that waits: an end before its own is no news."""
        record = self._jobs.get(job_id)
        since = waits.ends[-1].at if waits.ends else None
        if record is None:
            return "bad" if since is None else "old"
        if record.place:
            return "open"
        last = record.ends[-1]
        if last.outcome == "succeeded":
            return "done"
        return "bad" if since is None or last.at > since else "old"


def _needs(record: Record) -> Needs:
    assert record.asked.needs is not None
    return record.asked.needs


def _open(needs: Needs) -> set[str]:
    return {"open"} if needs.even_if_failed else {"open", "old"}
