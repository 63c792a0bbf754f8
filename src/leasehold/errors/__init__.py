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
    ├── ScheduleNotFound             no schedule has that name
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

from leasehold.errors.ends import JobCancelled, JobFailed, LeaseLost, WaitTimeout
from leasehold.errors.interruptions import Cancelling, Interrupted, LeaseGone, Stopping, TimedOut
from leasehold.errors.isolation import (
    ChildDied,
    CpuLimit,
    FileSizeLimit,
    LimitExceeded,
    MemoryLimit,
    NoSandbox,
)
from leasehold.errors.jobs import (
    BatchNotFound,
    BatchSealed,
    DuplicateTask,
    IdConflict,
    JobNotFound,
    KeyHeld,
    NoResult,
    ScheduleNotFound,
    UnknownTask,
    WrongState,
)
from leasehold.errors.root import LeaseholdError
from leasehold.errors.secrets import (
    BadCiphertext,
    CredentialNotFound,
    CryptoMissing,
    EncryptionError,
    KeyInUse,
    MissingKey,
    NoKeyring,
    PlainArguments,
)
from leasehold.errors.stores import (
    BatchBusy,
    KeyBusy,
    QuotaBusy,
    SchemaMismatch,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreMoved,
    StoreRefused,
    StoreUnavailable,
)
from leasehold.errors.tenants import ForeignTenant, NotForTenants, QuotaExceeded
from leasehold.errors.values import (
    BadArguments,
    BadCheckpoint,
    BadKeyring,
    BadOption,
    BadResult,
    BadValue,
    BadWorkflow,
)

__all__ = [
    "BadArguments",
    "BadCheckpoint",
    "BadCiphertext",
    "BadKeyring",
    "BadOption",
    "BadResult",
    "BadValue",
    "BadWorkflow",
    "BatchBusy",
    "BatchNotFound",
    "BatchSealed",
    "Cancelling",
    "ChildDied",
    "CpuLimit",
    "CredentialNotFound",
    "CryptoMissing",
    "DuplicateTask",
    "EncryptionError",
    "FileSizeLimit",
    "ForeignTenant",
    "IdConflict",
    "Interrupted",
    "JobCancelled",
    "JobFailed",
    "JobNotFound",
    "KeyBusy",
    "KeyHeld",
    "KeyInUse",
    "LeaseGone",
    "LeaseLost",
    "LeaseholdError",
    "LimitExceeded",
    "MemoryLimit",
    "MissingKey",
    "NoKeyring",
    "NoResult",
    "NoSandbox",
    "NotForTenants",
    "PlainArguments",
    "QuotaBusy",
    "QuotaExceeded",
    "ScheduleNotFound",
    "SchemaMismatch",
    "Stopping",
    "StoreBusy",
    "StoreError",
    "StoreFull",
    "StoreMoved",
    "StoreRefused",
    "StoreUnavailable",
    "TimedOut",
    "UnknownTask",
    "WaitTimeout",
    "WrongState",
]

for _each in __all__:  # tracebacks and pickles name the place where they are public
    globals()[_each].__module__ = __name__
