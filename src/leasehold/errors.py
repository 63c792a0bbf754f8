"""Every error leasehold raises, in one tree.

    LeaseholdError
    ├── BadValue (ValueError)        something a caller passed in can't be used
    │   ├── BadArguments             a job's arguments do not fit its handler, or JSON
    │   ├── BadResult                a handler or a step returned what can't be stored
    │   ├── BadCheckpoint            a cursor can't be stored, or not be read as asked
    │   ├── BadOption                an option, a duration, a URL, a name
    │   │   └── NoSandbox            what an isolated task asks for can't be had here
    │   ├── BadKeyring               the keys that encrypt can't be read or changed
    │   └── BadWorkflow              its steps do not fit together
    ├── UnknownTask, DuplicateTask   the registry
    ├── JobNotFound, WrongState, IdConflict
    ├── CredentialNotFound           nothing is kept under that name
    ├── NotForTenants, ForeignTenant a client of one tenant may not do this
    ├── QuotaExceeded                the tenant may not have so many jobs, or not now
    ├── KeyHeld                      another live job has the key
    ├── NoResult                     no job before this one has left what was asked for
    ├── BatchNotFound, BatchSealed   it can't take this job
    ├── EncryptionError              a value can't be encrypted or read
    │   ├── NoKeyring                … since this process has no keys at all
    │   ├── MissingKey               … or not the one that it needs
    │   ├── CryptoMissing            … or no `cryptography`
    │   ├── PlainArguments           an encrypted task's job, asked for in plain by its name
    │   ├── KeyInUse                 … and a key of these is not taken away
    │   └── BadCiphertext            it was changed, or moved from another job
    ├── LeaseLost                    the attempt may no longer write
    ├── JobFailed, JobCancelled      what a job came to that somebody waited for
    ├── ChildDied                    the process of an isolated task crashed, or was killed
    ├── LimitExceeded                … or used more than its limits allow
    │   └── MemoryLimit, CpuLimit, FileSizeLimit
    ├── WaitTimeout (TimeoutError)   it has not ended in time
    └── StoreError
        ├── StoreUnavailable         connection refused, cut, database restarting: try again
        ├── StoreBusy                a lock could not be had in time: try again
        │   ├── KeyBusy              … of a key: an open transaction has enqueued under it
        │   ├── BatchBusy            … of a batch: an open transaction has added to it
        │   └── QuotaBusy            … of a tenant's quotas: an open transaction has enqueued
        ├── StoreFull                no space left: nothing was written
        ├── StoreRefused             this database can't be used, and why
        │   └── StoreMoved           … its queue is, or will be, in another one
        └── SchemaMismatch           the tables and this code do not fit

Beside it stand the interruptions, which are raised inside a running handler to stop it:

    Interrupted (BaseException)
    ├── TimedOut                     its deadline passed
    ├── Cancelling                   somebody cancelled the job
    ├── LeaseGone                    its lease is lost or about to end
    └── Stopping                     the worker ends; the job is handed back
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from uuid import UUID


class LeaseholdError(Exception):
    """The root of the tree: `except LeaseholdError` catches all of it."""


class BadValue(LeaseholdError, ValueError):
    """A value that a caller passed in can't be used; the message says which and why."""


class BadArguments(BadValue):
    """A job's arguments do not fit its handler, or can't be stored as JSON."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(f"arguments of {kind!r}: {reason}")
        self.kind = kind
        self.reason = reason


class BadResult(BadValue):
    """A handler, or a step of one, returned a value that can't be stored as JSON."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(f"result of {kind!r}: {reason}")
        self.kind = kind
        self.reason = reason


class BadCheckpoint(BadValue):
    """A job's cursor can't be stored as JSON, or can't be read as the type asked for."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(f"checkpoint of {kind!r}: {reason}")
        self.kind = kind
        self.reason = reason


class BadOption(BadValue):
    """An option, a duration, a name or a URL can't be used."""


class BadKeyring(BadValue):
    """The keys that encrypt can't be read, or not be changed so. It never repeats a key."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"keyring: {reason}")
        self.reason = reason


class BadWorkflow(BadValue):
    """The steps of a workflow do not fit together, or their tasks are not known."""

    def __init__(self, name: str, faults: Iterable[str]) -> None:
        self.name = name
        self.faults = tuple(faults)
        super().__init__(f"workflow {name!r}: {'; '.join(self.faults)}")


class UnknownTask(LeaseholdError, LookupError):
    """No task of that kind is registered here."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"no task named {kind!r} is registered here")
        self.kind = kind


class DuplicateTask(LeaseholdError):
    """Two different handlers want the same kind."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"two tasks are named {kind!r}; give one of them another name=")
        self.kind = kind


class JobNotFound(LeaseholdError, LookupError):
    """There is no job with that id, or it is another tenant's."""

    def __init__(self, job_id: UUID) -> None:
        super().__init__(f"no job {job_id}")
        self.job_id = job_id


class ScheduleNotFound(LeaseholdError, LookupError):
    """There is no schedule of that name, or it is another tenant's."""

    def __init__(self, name: str, tenant: str = "") -> None:
        whose = f" of tenant {tenant!r}" if tenant else ""
        super().__init__(f"no schedule {name!r}{whose}; `leasehold schedules` lists them")
        self.name = name
        self.tenant = tenant


class CredentialNotFound(LeaseholdError, LookupError):
    """There is no credential of that name, or it is another tenant's."""

    def __init__(self, name: str, tenant: str = "") -> None:
        whose = f" of tenant {tenant!r}" if tenant else ""
        super().__init__(f"no credential {name!r}{whose}; `leasehold credentials` lists them")
        self.name = name
        self.tenant = tenant


class WrongState(LeaseholdError):
    """The job exists, but what was asked is not possible in its state."""

    def __init__(self, job_id: UUID, state: str, verb: str) -> None:
        super().__init__(f"job {job_id} is {state}: can't {verb} it")
        self.job_id = job_id
        self.state = state
        self.verb = verb


class IdConflict(LeaseholdError):
    """An id was given that another job, of another kind or with other arguments, already has."""

    def __init__(self, job_ids: Iterable[UUID]) -> None:
        self.job_ids = tuple(job_ids)
        named = ", ".join(str(job_id) for job_id in self.job_ids)
        super().__init__(f"already used for a job of another kind or with other arguments: {named}")


class QuotaExceeded(LeaseholdError):
    """A tenant's quota does not allow these jobs; nothing was written.

    `quota` is "waiting" or "rate", `limit` what it allows (of a rate: at once), `retry_after` in
    how many seconds they would be allowed, None when that depends on how fast jobs end.
    """

    def __init__(
        self, tenant: str, quota: str, limit: float, *, retry_after: float | None = None
    ) -> None:
        self.tenant = tenant
        self.quota = quota
        self.limit = limit
        self.retry_after = retry_after
        if quota == "waiting":
            said = f"may have {limit:,g} jobs waiting: enqueue them when some have run"
        else:
            said = f"has used up its rate: try again in {retry_after or 0:.3g} s"
        super().__init__(f"tenant {tenant!r} {said}, or raise the quota")


class NotForTenants(LeaseholdError):
    """A client that is one tenant's may not do this: it concerns others, too."""

    def __init__(self, operation: str) -> None:
        super().__init__(
            f"{operation}: not for a client of one tenant, since it concerns all of them; "
            "use a client without for_tenant"
        )
        self.operation = operation


class ForeignTenant(LeaseholdError):
    """A client that is one tenant's was asked to act for another one."""

    def __init__(self, tenant: str, asked: str) -> None:
        super().__init__(f"this client acts for tenant {tenant!r}, not for {asked!r}")
        self.tenant = tenant
        self.asked = asked


class KeyHeld(LeaseholdError):
    """A live job has the key that an ended one, or nobody, should have."""

    def __init__(self, job_id: UUID | None, key: str, holder: UUID) -> None:
        refused = (
            f"key {key!r} can't be forgotten: it"
            if job_id is None
            else f"job {job_id} can't be retried: its key {key!r}"
        )
        super().__init__(
            f"{refused} is with job {holder}, which is live; cancel that one or let it end"
        )
        self.job_id = job_id
        self.key = key
        self.holder = holder


class NoResult(LeaseholdError, LookupError):
    """No job that this one waited for has left the result that was asked for."""

    def __init__(self, job_id: UUID, reason: str) -> None:
        super().__init__(f"job {job_id}: {reason}")
        self.job_id = job_id
        self.reason = reason


class BatchNotFound(LeaseholdError, LookupError):
    """There is no batch with that id, or it is another tenant's."""

    def __init__(self, batch_id: UUID) -> None:
        super().__init__(f"no batch {batch_id}, or it is another tenant's")
        self.batch_id = batch_id


class BatchSealed(LeaseholdError):
    """The batch takes no more members: it is sealed, cancelled or has ended."""

    def __init__(self, batch_id: UUID, status: str) -> None:
        super().__init__(
            f"batch {batch_id} is {status} and takes no more members; add them before the seal, or "
            "from inside a running member with current_job().batch.add"
        )
        self.batch_id = batch_id
        self.status = status


class EncryptionError(LeaseholdError):
    """A value can't be encrypted, or an encrypted one not be read."""


class NoKeyring(EncryptionError):
    """Something is to be encrypted, and this process has no keys."""

    def __init__(self) -> None:
        super().__init__(
            "this has to be encrypted, and there are no keys here: make some with `leasehold "
            "keyring init FILE` and set LEASEHOLD_KEYS to that file"
        )


class MissingKey(EncryptionError):
    """The key that a value is encrypted with is not among those of this process."""

    def __init__(self, key_id: str) -> None:
        super().__init__(
            f"key {key_id!r} is missing here: add it to the file that LEASEHOLD_KEYS names"
        )
        self.key_id = key_id


class CryptoMissing(EncryptionError):
    """Encryption needs a library that is not installed."""

    def __init__(self) -> None:
        super().__init__("encryption needs the extra: pip install 'leasehold[crypto]'")


class PlainArguments(EncryptionError):
    """A job of an encrypted task was asked for by its name, with plain arguments."""

    def __init__(self, kind: str) -> None:
        super().__init__(
            f"jobs of {kind!r} are encrypted: enqueue its task, or by its name with encrypted=True"
        )
        self.kind = kind


class KeyInUse(EncryptionError):
    """A key can't be taken away: values that it has encrypted still stand in the database."""

    def __init__(self, key_id: str, rows: int) -> None:
        super().__init__(
            f"key {key_id!r} is still needed for {rows:,} rows: let `leasehold keyring reencrypt` "
            "finish, see that every process has the new keys, and try again"
        )
        self.key_id = key_id
        self.rows = rows


class BadCiphertext(EncryptionError):
    """An encrypted value was changed, or moved from another job; no retry can help."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"an encrypted value can't be read: {reason}")
        self.reason = reason


class LeaseLost(LeaseholdError):
    """The attempt's lease was taken back or cancelled: nothing it writes is accepted any more."""

    def __init__(self, job_id: UUID, reason: str = "its lease was taken back") -> None:
        super().__init__(f"job {job_id}: {reason}; what this attempt wrote was rolled back")
        self.job_id = job_id


class JobFailed(LeaseholdError):
    """A job that was waited for has ended dead: it will not be tried again by itself."""

    def __init__(self, job_id: UUID, kind: str, error: str | None) -> None:
        super().__init__(
            f"job {job_id} ({kind}) ended dead: {error or 'no error was written down'}"
        )
        self.job_id = job_id
        self.kind = kind
        self.error = error


class JobCancelled(LeaseholdError):
    """A job that was waited for has been cancelled."""

    def __init__(self, job_id: UUID, kind: str, reason: str | None) -> None:
        super().__init__(f"job {job_id} ({kind}) was cancelled: {reason or 'nobody said why'}")
        self.job_id = job_id
        self.kind = kind
        self.reason = reason


class WaitTimeout(LeaseholdError, TimeoutError):
    """The jobs have not all ended in time; they go on, and can be waited for again.

    `job_ids` are those that had not ended. When the store could not be asked lately, its error is
    the `__cause__`.
    """

    def __init__(self, job_ids: Iterable[UUID], timeout_seconds: float) -> None:
        self.job_ids = tuple(job_ids)
        self.timeout_seconds = timeout_seconds
        first, rest = self.job_ids[:3], self.job_ids[3:]
        named = ", ".join(map(str, first))
        more = f" and {len(rest):,} more" if rest else ""
        super().__init__(f"not ended within {timeout_seconds:g} s: {named}{more}")


class StoreError(LeaseholdError):
    """The database behind the queue; driver errors are chained as `__cause__`."""


class StoreUnavailable(StoreError):
    """The database can't be reached just now. Trying again may help."""


class StoreBusy(StoreError):
    """A lock could not be had in time. Trying again may help."""


class KeyBusy(StoreBusy):
    """A transaction that is still open has enqueued under one of these keys."""

    def __init__(self, keys: Iterable[str]) -> None:
        self.keys = tuple(keys)
        named = ", ".join(map(repr, self.keys))
        super().__init__(
            f"a transaction that is still open has enqueued under one of these keys: {named}; "
            "commit it, or try again"
        )


class QuotaBusy(StoreBusy):
    """A transaction that is still open has enqueued for a tenant with quotas."""

    def __init__(self, tenant: str) -> None:
        self.tenant = tenant
        super().__init__(
            f"a transaction that is still open has enqueued for tenant {tenant!r}, and who has "
            "quotas enqueues one after the other; commit it, or try again"
        )


class BatchBusy(StoreBusy):
    """Transactions that are still open have added to the batch."""

    def __init__(self, batch_id: UUID, holders: Iterable[str] = ()) -> None:
        self.batch_id = batch_id
        self.holders = tuple(holders)
        named = ", ".join(self.holders) or "unknown"
        super().__init__(
            f"batch {batch_id}: a transaction that is still open may have added to it ({named}); "
            "commit it, or try again"
        )


class StoreFull(StoreError):
    """The database has no space left. Nothing was written."""


class StoreRefused(StoreError):
    """The database can't be used as a queue; the message says why."""


class StoreMoved(StoreRefused):
    """The queue has moved to another database, or is not all here yet; the message says which."""


class SchemaMismatch(StoreError):
    """The tables and this version of leasehold do not fit; the message says what to run."""


class NoSandbox(BadOption):
    """A task asks for bounds that this machine can't give; its jobs wait for one that can."""


class ChildDied(LeaseholdError):
    """The process of an isolated task ended before it had answered."""


class LimitExceeded(LeaseholdError):
    """An isolated task used more than its limits allow; the message says of what."""


class MemoryLimit(LimitExceeded):
    """It wanted more memory."""


class CpuLimit(LimitExceeded):
    """It used up its CPU time."""


class FileSizeLimit(LimitExceeded):
    """It wrote a file that is too large."""


class Interrupted(BaseException):  # it must pass a handler's `except Exception`
    """Raised inside a running handler to stop it. Clean up and let it pass."""


class TimedOut(Interrupted):
    """The attempt's deadline passed."""


class Cancelling(Interrupted):
    """Somebody cancelled the job."""


class LeaseGone(Interrupted):
    """The attempt's lease is lost or about to end: nothing it writes would be accepted."""


class Stopping(Interrupted):
    """The worker ends; the job is handed back without charge."""
