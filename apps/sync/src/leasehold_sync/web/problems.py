"""How errors of syncs are told: each with its status and a type that programs can rely on."""

from __future__ import annotations

from leasehold.kit.web import Problems
from leasehold_sync import errors

PROBLEMS = Problems(
    {
        errors.AppNotFound: (404, "app-not-found"),
        errors.SyncNotFound: (404, "sync-not-found"),
        errors.UnknownResource: (400, "unknown-resource"),
        errors.JobEnded: (409, "job-ended"),
        errors.NothingToRetry: (409, "nothing-to-retry"),
        errors.AppBusy: (409, "app-busy"),
        errors.CredentialMissing: (503, "credential-missing"),
        errors.ConnectorNotFound: (503, "connector-not-found"),
    }
)
