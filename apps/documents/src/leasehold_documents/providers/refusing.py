"""What an answer that is not 200 means, where all clouds mean the same by it."""

from __future__ import annotations

from leasehold_documents.providers.errors import (
    BadAnswer,
    ProviderFailed,
    ProviderUnavailable,
    RateLimited,
    RemoteMissing,
    RemoteRefused,
)
from leasehold_documents.providers.http import Answer

_BUSY = frozenset({429, 529})
_PATIENT = frozenset({408, 409, 425})
_UNAVAILABLE = 503
_SERVER_ERRORS = 500
_FORBIDDEN = 403
_MISSING = frozenset({404, 410})


def usual_refusal(answer: Answer) -> ProviderFailed:
    """Return the error that an answer stands for. Words of the cloud's own are not repeated."""
    status = answer.status
    if status in _BUSY or (status == _UNAVAILABLE and "retry-after" in answer.headers):
        return RateLimited(answer.rest_seconds())
    if status >= _SERVER_ERRORS or status in _PATIENT:
        return ProviderUnavailable(f"the cloud answers {status}")
    if status in _MISSING:
        return RemoteMissing()
    if status == _FORBIDDEN:
        return RemoteRefused("REMOTE_FORBIDDEN", "the account may not read it")
    return BadAnswer(f"the cloud answers {status}")
