"""What can go wrong with a cloud, and what it means for an import: rest, give up, or go on."""

from __future__ import annotations

from leasehold_documents.errors import DocumentsError


class ProviderFailed(DocumentsError):
    """The root: another try may help."""

    code = "PROVIDER_FAILED"

    def __init__(self, reason: str) -> None:
        super().__init__(f"{self.code}: {reason}")
        self.reason = reason


class ProviderUnavailable(ProviderFailed):
    """It could not be reached, or has trouble of its own."""

    code = "PROVIDER_UNAVAILABLE"


class BadAnswer(ProviderFailed):
    """What came is not what this API writes, or was damaged on the way."""

    code = "PROVIDER_BAD_ANSWER"


class ContentChanged(BadAnswer):
    """What came is not what was listed: the file was changed since, or damaged on the way."""

    def __init__(self) -> None:
        super().__init__("what came is not what was listed: its check sum is another one")


class RateLimited(ProviderFailed):
    """Asked too often: nothing is wrong, come back in so many seconds."""

    code = "PROVIDER_RATE_LIMITED"

    def __init__(self, after_seconds: float) -> None:
        super().__init__(f"asked to wait for {after_seconds:g} s")
        self.after_seconds = after_seconds


class TokenExpired(ProviderFailed):
    """The access token is not good (any more); a fresh one may be."""

    code = "PROVIDER_TOKEN_EXPIRED"


class AccessRevoked(ProviderFailed):
    """The consent is over: the person has to connect anew."""

    code = "CONNECTOR_EXPIRED"


class ListingReset(ProviderFailed):
    """The cursor is void: the folder has to be read from its start."""

    code = "PROVIDER_LISTING_RESET"


class RemoteRefused(ProviderFailed):
    """One file, or folder, can't be had; `code` says why, for programs."""

    def __init__(self, code: str, reason: str) -> None:
        self.code = code
        super().__init__(reason)


class RemoteMissing(RemoteRefused):
    """It is not there, or not for this account."""

    def __init__(self) -> None:
        super().__init__("REMOTE_NOT_FOUND", "the source has no such file or folder")


class TooLarge(RemoteRefused):
    """It is larger than a file may be."""

    def __init__(self, most_bytes: int) -> None:
        super().__init__("FILE_TOO_LARGE", f"it has more than {most_bytes // 1_048_576} MB")
        self.most_bytes = most_bytes


class BadClient(ProviderFailed):
    """The operator's client id or secret is not right; the person can do nothing about it."""

    code = "OAUTH_CLIENT_REFUSED"
