"""What a store can do for people: show jobs, change them, set limits and pauses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from leasehold.model.facts import Facts
from leasehold.model.ids import JobId
from leasehold.model.keys import KeyInfo
from leasehold.model.lanes import Pause, QueueInfo, RuleChange, ShareInfo, ThrottleInfo
from leasehold.model.states import State
from leasehold.model.values import Attempt, Filter, Finding, Job, QueueCounts


class PeopleStore(Protocol):
    """Each method is one atomic operation, safe beside workers; no worker needs any of them."""

    def get(self, job_id: JobId) -> Job | None: ...

    def find(
        self, where: Filter, *, before: JobId | None, limit: int, above: JobId | None = None
    ) -> list[Job]:
        """List jobs, newest first, with ids below `before`, none below `above`."""

    def floor(self, where: Filter, *, before: JobId | None, count: int) -> JobId | None:
        """Say at which id `find` would be when it has looked at so many; None: there are fewer.

        Asked for a state, not for a batch or a key. All that it would find above is looked at.
        """

    def history(self, job_id: JobId) -> list[Attempt]:
        """List the job's ended attempts, oldest first."""

    def cancel(self, job_id: JobId, *, by: str | None) -> State | None:
        """End a waiting job as cancelled, or mark a running one; returns the state after.

        A job that had ended stays as it is. None when there is no such job.
        """

    def retry(self, job_id: JobId) -> State | None:
        """Make a failed, dead or cancelled job ready now, failures and lapses back to 0.

        Returns QUEUED, or BLOCKED with a throttle, when it did, the state that forbids it
        otherwise, None for no such job. An ended one takes its key back; `KeyHeld` when another
        live job has it.
        """

    def delete(self, job_id: JobId) -> State | None:
        """Delete a job that is not running, with its history; None when it is gone (or never was).

        What was remembered of its key is forgotten with it. Returns RUNNING when it may not.
        """

    def reprioritise(self, job_id: JobId, priority: int) -> State | None:
        """Change a waiting job's priority; returns its state, None for no such job."""

    def find_ids(self, where: Filter, *, before: JobId | None, limit: int) -> list[JobId]:
        """List the ids of what `find` lists, at less cost."""

    def cancel_many(self, job_ids: Sequence[JobId], *, by: str | None) -> dict[JobId, State | None]:
        """Cancel those that have not ended, as `cancel` does; returns the state after of each.

        One step of a longer walk: it never waits for a row while it holds another.
        """

    def retry_many(self, job_ids: Sequence[JobId]) -> dict[JobId, State | None]:
        """Make those that are failed, dead or cancelled ready, as `retry` does, in one step."""

    def delete_many(self, job_ids: Sequence[JobId]) -> dict[JobId, State | None]:
        """Delete those that do not run, as `delete` does, in one step; their state is None."""

    def facts(self, job_id: JobId) -> Facts | None:
        """Read all that a reason not to run may rest on, at one moment; None for no such job."""

    def key(self, key: str, *, tenant: str) -> KeyInfo | None:
        """Say who has a key; None when nothing is known of it."""

    def forget_key(self, key: str, *, tenant: str) -> bool:
        """Forget what is remembered of a key; False when there is nothing.

        `KeyHeld` while a live job has it.
        """

    def throttles(self, *, tenant: str | None = None) -> list[ThrottleInfo]:
        """List the rules, and the keys that have limits of their own or a pause, by name.

        Of a tenant: what it has for itself, each rule of which counts its own jobs only.
        """

    def change_throttle(self, name: str, change: RuleChange, *, tenant: str = "") -> None:
        """Change the limits of a rule or of one key, from the next claim on.

        Here and below, a name is what a lane is (`own_lane`), and `tenant` is who says so: what a
        tenant says counts for its own keys alone, and only where it is stricter than operators.
        """

    def reset_throttle(self, name: str, *, tenant: str = "") -> bool:
        """Let a key have its rule's limits again, and a rule what code declares from now on.

        False when nothing was set.
        """

    def pause_throttle(self, name: str, pause: Pause, *, tenant: str = "") -> None:
        """Start none of its jobs until then."""

    def resume_throttle(self, name: str, *, tenant: str = "") -> bool:
        """End a pause; False when it was not paused."""

    def refill_throttle(self, name: str) -> bool:
        """Forget what a key has used up of its rate."""

    def shares(self) -> list[ShareInfo]: ...

    def change_share(self, name: str, *, weight: int, by: str | None) -> None: ...

    def queues(self) -> list[QueueInfo]:
        """List the queues that somebody has paused or given a limit or an aging."""

    def pause_queue(self, name: str, pause: Pause) -> None:
        """Let no worker claim from it until then."""

    def resume_queue(self, name: str) -> bool:
        """End a pause; False when it was not paused."""

    def limit_queue(self, name: str, *, running: int | None, by: str | None) -> bool:
        """Let at most so many of its jobs run at once, in all workers; None: as many as there are.

        What runs goes on, and counts. False when there was no limit to take away.
        """

    def set_aging(self, name: str, *, aging_seconds: float | None) -> None:
        """Let a job of this queue gain a point of priority each time it has waited that long."""

    def counts(self, *, tenant: str | None = None) -> list[QueueCounts]:
        """Count the live jobs of each queue, of one tenant or of all."""

    def parked_kinds(self) -> dict[str, int]:
        """Count the jobs that wait because no worker knew their kind."""

    def examine(self) -> list[Finding]:
        """Look at the store's health, for `leasehold doctor`."""
