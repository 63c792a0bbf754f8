"""A job queue in the database you already have: SQLite by default, PostgreSQL at scale.

In short:

    import leasehold as lh

    @lh.task(queue="mail", max_attempts=4, retry=lh.delays("1m", "5m", "30m"))
    def send_invoice(invoice_id: int) -> None: ...

    client = lh.Client()                              # LEASEHOLD_URL, else sqlite:///leasehold.db
    client.enqueue(send_invoice, invoice_id=7)        # typed by the handler
    client.on(session).enqueue(send_invoice, 7)       # inside the caller's own transaction
    lh.Worker(client, tasks=[send_invoice]).run()
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from leasehold._version import __version__

# Not lazy: importing the module `leasehold.task` anywhere would put it in the function's place.
from leasehold.task import Task, task

if TYPE_CHECKING:
    from leasehold.aio import AsyncClient
    from leasehold.batches import Batch
    from leasehold.bulk import Bulk
    from leasehold.client import Client
    from leasehold.encryption import KeyUse
    from leasehold.errors import (
        BadArguments,
        BadCheckpoint,
        BadCiphertext,
        BadKeyring,
        BadOption,
        BadResult,
        BadValue,
        BadWorkflow,
        BatchBusy,
        BatchNotFound,
        BatchSealed,
        Cancelling,
        ChildDied,
        CpuLimit,
        CredentialNotFound,
        CryptoMissing,
        DuplicateTask,
        EncryptionError,
        FileSizeLimit,
        ForeignTenant,
        IdConflict,
        Interrupted,
        JobCancelled,
        JobFailed,
        JobNotFound,
        KeyBusy,
        KeyHeld,
        KeyInUse,
        LeaseGone,
        LeaseholdError,
        LeaseLost,
        LimitExceeded,
        MemoryLimit,
        MissingKey,
        NoKeyring,
        NoResult,
        NoSandbox,
        NotForTenants,
        PlainArguments,
        QuotaBusy,
        QuotaExceeded,
        ScheduleNotFound,
        SchemaMismatch,
        Stopping,
        StoreBusy,
        StoreError,
        StoreFull,
        StoreMoved,
        StoreRefused,
        StoreUnavailable,
        TimedOut,
        UnknownTask,
        WaitTimeout,
        WrongState,
    )
    from leasehold.keeping import PruneReport
    from leasehold.model.alerts import Alert
    from leasehold.model.batches import (
        BatchCounts,
        BatchEnded,
        BatchInfo,
        BatchStatus,
        JobEnded,
    )
    from leasehold.model.causes import Cause, Reason
    from leasehold.model.credentials import CredentialInfo
    from leasehold.model.failures import FailureGroup
    from leasehold.model.keeping import Keep, Retention
    from leasehold.model.keys import KeyInfo
    from leasehold.model.needs import Predecessor
    from leasehold.model.quotas import QuotaInfo
    from leasehold.model.retry import (
        Failure,
        delays,
        exponential,
        fixed,
        never,
        per_exception,
    )
    from leasehold.model.saving import Checkpoint, Step
    from leasehold.model.schedules import ScheduleInfo
    from leasehold.model.secrets import Secret
    from leasehold.model.signals import Cancel, Dead, Retry, Snooze
    from leasehold.model.states import State
    from leasehold.model.statistics import Activity, Depth, Overview, Point, RunTimes, Total
    from leasehold.model.throttles import TENANT, Throttle, by
    from leasehold.model.values import Attempt, Job
    from leasehold.model.why import Why
    from leasehold.paging import Page
    from leasehold.reencrypting import ReencryptReport
    from leasehold.registry import Registry
    from leasehold.sandbox import Limits
    from leasehold.scheduling import Schedule, schedule
    from leasehold.sealing.keyring import Keyring
    from leasehold.store.shield import shielded
    from leasehold.task import Call, Enqueued
    from leasehold.waiting import Finished
    from leasehold.worker import Observer, Run, Worker, current_job
    from leasehold.workflow import StartedWorkflow, Workflow, WorkflowStep

_HOMES = {
    "aio": ("AsyncClient",),
    "batches": ("Batch",),
    "bulk": ("Bulk",),
    "client": ("Client",),
    "encryption": ("KeyUse",),
    "errors": (
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
        "CredentialNotFound",
        "CryptoMissing",
        "DuplicateTask",
        "EncryptionError",
        "ChildDied",
        "CpuLimit",
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
        "MissingKey",
        "NoKeyring",
        "LeaseholdError",
        "LimitExceeded",
        "MemoryLimit",
        "ScheduleNotFound",
        "NoResult",
        "NoSandbox",
        "NotForTenants",
        "PlainArguments",
        "QuotaBusy",
        "QuotaExceeded",
        "NotForTenants",
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
    ),
    "keeping": ("PruneReport",),
    "model.alerts": ("Alert",),
    "model.quotas": ("QuotaInfo",),
    "model.batches": ("BatchCounts", "BatchEnded", "BatchInfo", "BatchStatus", "JobEnded"),
    "model.causes": ("Cause", "Reason"),
    "model.credentials": ("CredentialInfo",),
    "model.failures": ("FailureGroup",),
    "model.keeping": ("Keep", "Retention"),
    "model.keys": ("KeyInfo",),
    "model.needs": ("Predecessor",),
    "model.retry": ("Failure", "delays", "exponential", "fixed", "never", "per_exception"),
    "model.saving": ("Checkpoint", "Step"),
    "model.schedules": ("ScheduleInfo",),
    "model.secrets": ("Secret",),
    "model.signals": ("Cancel", "Dead", "Retry", "Snooze"),
    "model.throttles": ("TENANT", "Throttle", "by"),
    "model.states": ("State",),
    "model.statistics": ("Activity", "Depth", "Overview", "Point", "RunTimes", "Total"),
    "model.values": ("Attempt", "Job"),
    "model.why": ("Why",),
    "paging": ("Page",),
    "reencrypting": ("ReencryptReport",),
    "registry": ("Registry",),
    "sandbox": ("Limits",),
    "scheduling": ("Schedule", "schedule"),
    "sealing.keyring": ("Keyring",),
    "store.shield": ("shielded",),
    "task": ("Call", "Enqueued"),
    "waiting": ("Finished",),
    "worker": ("Observer", "Run", "Worker", "current_job"),
    "workflow": ("StartedWorkflow", "Workflow", "WorkflowStep"),
}

__all__ = [
    "TENANT",
    "Activity",
    "Alert",
    "AsyncClient",
    "Attempt",
    "BadArguments",
    "BadCheckpoint",
    "BadCiphertext",
    "BadKeyring",
    "BadOption",
    "BadResult",
    "BadValue",
    "BadWorkflow",
    "Batch",
    "BatchBusy",
    "BatchCounts",
    "BatchEnded",
    "BatchInfo",
    "BatchNotFound",
    "BatchSealed",
    "BatchStatus",
    "Bulk",
    "Call",
    "Cancel",
    "Cancelling",
    "Cause",
    "Checkpoint",
    "ChildDied",
    "Client",
    "CpuLimit",
    "CredentialInfo",
    "CredentialNotFound",
    "CryptoMissing",
    "Dead",
    "Depth",
    "DuplicateTask",
    "EncryptionError",
    "Enqueued",
    "Failure",
    "FailureGroup",
    "FileSizeLimit",
    "Finished",
    "ForeignTenant",
    "IdConflict",
    "Interrupted",
    "Job",
    "JobCancelled",
    "JobEnded",
    "JobFailed",
    "JobNotFound",
    "Keep",
    "KeyBusy",
    "KeyHeld",
    "KeyInUse",
    "KeyInfo",
    "KeyUse",
    "Keyring",
    "LeaseGone",
    "LeaseLost",
    "LeaseholdError",
    "LimitExceeded",
    "Limits",
    "MemoryLimit",
    "MissingKey",
    "NoKeyring",
    "NoResult",
    "NoSandbox",
    "NotForTenants",
    "Observer",
    "Overview",
    "Page",
    "PlainArguments",
    "Point",
    "Predecessor",
    "PruneReport",
    "QuotaBusy",
    "QuotaExceeded",
    "QuotaInfo",
    "Reason",
    "ReencryptReport",
    "Registry",
    "Retention",
    "Retry",
    "Run",
    "RunTimes",
    "Schedule",
    "ScheduleInfo",
    "ScheduleNotFound",
    "SchemaMismatch",
    "Secret",
    "Snooze",
    "StartedWorkflow",
    "State",
    "Step",
    "Stopping",
    "StoreBusy",
    "StoreError",
    "StoreFull",
    "StoreMoved",
    "StoreRefused",
    "StoreUnavailable",
    "Task",
    "Throttle",
    "TimedOut",
    "Total",
    "UnknownTask",
    "WaitTimeout",
    "Why",
    "Worker",
    "Workflow",
    "WorkflowStep",
    "WrongState",
    "__version__",
    "by",
    "current_job",
    "delays",
    "exponential",
    "fixed",
    "never",
    "per_exception",
    "schedule",
    "shielded",
    "task",
]

if not TYPE_CHECKING:  # so that a type checker still refuses names that do not exist

    def __getattr__(name: str) -> Any:
        """Import a public name's module when the name is first used."""
        for home, names in _HOMES.items():
            if name in names:
                value = getattr(import_module(f"leasehold.{home}"), name)
                globals()[name] = value
                return value
        raise AttributeError(f"module 'leasehold' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted(__all__)
