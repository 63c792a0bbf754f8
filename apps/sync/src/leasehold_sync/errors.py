"""What can go wrong and can be said to a person in one line; of sources: connectors/errors.py."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import leasehold as lh


class SyncError(lh.LeaseholdError):
    """The root of the application's errors: each carries what it is about."""


class AppNotFound(SyncError):
    """Nobody has told us of this app."""

    def __init__(self, app_key: str) -> None:
        super().__init__(f"there is no app {app_key[:80]!r}: add it with leasehold-sync apps add")
        self.app_key = app_key


class BadApp(SyncError):
    """An app that can't be kept as it was said; `field` names what is wrong."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field


class ConnectorNotFound(SyncError):
    """No connector of this name is known."""

    def __init__(self, name: str, valid: Sequence[str] = ()) -> None:
        known = f"; there are {', '.join(valid)}" if valid else ""
        super().__init__(f"there is no connector {name[:80]!r}{known}")
        self.name = name
        self.valid = tuple(valid)


class CredentialMissing(SyncError):
    """Where the app's credential should be, there is none. The reference names no secret."""

    def __init__(self, reference: str, reason: str) -> None:
        super().__init__(f"the credential {reference!r} can't be read: {reason}")
        self.reference = reference


class UnknownResource(SyncError):
    """A resource that the app does not have."""

    def __init__(self, resources: Sequence[str], valid: Sequence[str]) -> None:
        named = ", ".join(repr(each[:80]) for each in resources)
        wrong = f"unknown resources {named}" if resources else "no resource is named"
        super().__init__(f"{wrong}; there are {', '.join(valid)}")
        self.resources = tuple(resources)
        self.valid = tuple(valid)


class SyncNotFound(SyncError):
    """There is no such sync job, or it is past its retention."""

    def __init__(self, job_id: UUID) -> None:
        super().__init__(f"there is no sync job {job_id}")
        self.job_id = job_id


class JobEnded(SyncError):
    """What has completed or failed can't be cancelled any more."""

    def __init__(self, job_id: UUID, status: str) -> None:
        super().__init__(f"the sync job {job_id} is {status} already")
        self.job_id = job_id
        self.status = status


class NothingToRetry(SyncError):
    """None of the job's tasks has failed."""

    def __init__(self, job_id: UUID) -> None:
        super().__init__(f"no task of the sync job {job_id} has failed: there is nothing to retry")
        self.job_id = job_id


class AppBusy(SyncError):
    """Another sync of the same app is under way."""

    def __init__(self, app_key: str, job_id: UUID) -> None:
        super().__init__(f"{app_key} is being synced by the job {job_id}: wait for it or cancel it")
        self.app_key = app_key
        self.job_id = job_id
