"""How errors are told: each with its status, and a code that programs can rely on.

A file or a request that will never do says why by a code, as in `EMPTY_FILE`: the problem's type
ends with it (`…:empty-file`), and `about.code` has it as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import leasehold as lh
from leasehold.kit.web import Problems
from leasehold.web import Problem, make_problem
from leasehold_documents import errors

if TYPE_CHECKING:
    from leasehold.errors import LeaseholdError

UNFIT = 422
# Those that are told otherwise than as a request that can't be used.
STATUSES: Mapping[str, int] = {
    "FILE_TOO_LARGE": 413,
    "LINK_INVALID": 403,
    "LINK_EXPIRED": 410,
    "STATE_INVALID": 403,
    "STATE_USED": 409,
    "CONSENT_DENIED": 409,
    "CONNECTOR_EXPIRED": 409,
    "OTHER_ACCOUNT": 409,
    "NO_KEYRING": 503,
    "PROVIDER_NOT_SET_UP": 409,
    "PROVIDER_UNAVAILABLE": 503,
    "PROVIDER_RATE_LIMITED": 503,
    "PROVIDER_FAILED": 503,
    "PROVIDER_BAD_ANSWER": 503,
    "PROVIDER_TOKEN_EXPIRED": 409,
    "PROVIDER_LISTING_RESET": 409,
    "OAUTH_CLIENT_REFUSED": 503,
    "CONSENT_SPENT": 409,
    "NOTHING_SUGGESTED": 409,
    "TENANT_MISMATCH": 403,
}


class DocumentProblems(Problems):
    """Those of an application whose errors carry codes."""

    def tell(self, error: LeaseholdError) -> Problem:
        if isinstance(error, errors.Rejected):
            name = error.code.lower().replace("_", "-")
            about = {"code": error.code}
            return make_problem(status_of(error.code), name, error.reason, about=about)
        if isinstance(error, errors.NotFound):
            name = f"{error.what.replace(' ', '-')}-not-found"
            return make_problem(404, name, f"there is no such {error.what} of yours")
        return super().tell(error)


def status_of(code: str) -> int:
    return STATUSES.get(code, UNFIT)


PROBLEMS = DocumentProblems(
    {
        errors.NotFound: (404, "not-found"),
        errors.Forbidden: (403, "forbidden"),
        errors.Rejected: (422, "rejected"),
        errors.TooLate: (409, "too-late"),
        errors.EndedAlready: (409, "wrong-state"),
        errors.AlreadyThere: (409, "already-there"),
        errors.ParserCrashed: (422, "parser-crash"),
        errors.ParserLost: (503, "parser-lost"),
        errors.EngineClosed: (503, "engine-closed"),
        errors.VaultFailed: (503, "vault-unavailable"),
        errors.NotInVault: (404, "file-gone"),
        errors.NotOfRole: (503, "database-unavailable"),
        lh.JobNotFound: (404, "job-not-found"),
        lh.WrongState: (409, "wrong-state"),
    }
)
