"""What can go wrong with a source. Each error says whether to try again, and never a credential."""

from __future__ import annotations

from leasehold_sync.errors import SyncError


class SourceFailed(SyncError):
    """A page could not be read. `code` is for programs and stands in the task's error."""

    code = "source_failed"
    #: Whether the same request may succeed later.
    may_retry = True

    def __init__(self, message: str) -> None:
        super().__init__(f"{self.code}: {message}")


class RateLimited(SourceFailed):
    """The source asks for patience. Never a failure: the app rests for `after_seconds`."""

    code = "rate_limited"

    def __init__(self, after_seconds: float, message: str = "the source asks to wait") -> None:
        super().__init__(f"{message} ({after_seconds:g} s)")
        self.after_seconds = after_seconds


class Unauthorised(SourceFailed):
    """The credential is refused, for this and all other resources of the app."""

    code = "unauthorised"
    may_retry = False


class BadConfig(SourceFailed):
    """The app is not configured so that it can be read."""

    code = "bad_config"
    may_retry = False


class SourceUnavailable(SourceFailed):
    """No connection, no answer in time, or a server error."""

    code = "source_unavailable"


class RequestRefused(SourceFailed):
    """The source refuses the request itself, with a status and its own code."""

    code = "request_refused"
    may_retry = False

    def __init__(self, status: int, error: str, param: str, message: str) -> None:
        super().__init__(f"{status} {message}")
        self.status = status
        self.error = error
        self.param = param


class BadAnswer(SourceFailed):
    """Not what the API promises: an HTML page, half a JSON document, a field of another type."""

    code = "bad_answer"


class PageTooLarge(SourceFailed):
    """One page is larger than a page may be."""

    code = "page_too_large"
    may_retry = False


class EmptyPageLoop(SourceFailed):
    """The source says that more follows, and shows nothing."""

    code = "empty_page_loop"


class CursorStuck(SourceFailed):
    """The source gives the same cursor again."""

    code = "cursor_stuck"


class ScanLost(SourceFailed):
    """A scan that has to be read at one go died too often on the way."""

    code = "scan_lost"
