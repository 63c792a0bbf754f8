"""What can go wrong and can be said to a person in one line; each error says what about."""

from __future__ import annotations

from uuid import UUID

import leasehold as lh


class DocumentsError(lh.LeaseholdError):
    """The root of the application's errors."""


class Rejected(DocumentsError):
    """A file or a request that will never do, by a code that programs can rely on.

    `reason` is for people and says nothing of what is inside the file.
    """

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(f"{code}: {reason}")
        self.code = code
        self.reason = reason


class ParserCrashed(DocumentsError):
    """The process that read a file has crashed, or went over its limits.

    A crash or a late answer may be the machine's fault; a limit that was met is the file's.
    """

    def __init__(self, reason: str, *, is_limit: bool = False) -> None:
        super().__init__(reason)
        self.is_limit = is_limit


class ParserLost(DocumentsError):
    """The process that starts parsers was ended, which says nothing of the file."""


class BadForm(DocumentsError):
    """A field of a form that says what can't be, or can't be done."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class ExtractorUnavailable(DocumentsError):
    """The extraction service can't be reached or can't answer now; `status` is None for silence."""

    def __init__(
        self, status: int | None, reason: str, *, retry_after_seconds: float | None = None
    ) -> None:
        told = "does not answer" if status is None else f"answers {status}"
        super().__init__(f"the extraction service {told}" + (f" ({reason})" if reason else ""))
        self.status = status
        self.retry_after_seconds = retry_after_seconds


class NotFound(DocumentsError):
    """There is no such thing for this tenant; another one's is not there, either."""

    def __init__(self, what: str, which: UUID | str) -> None:
        super().__init__(f"there is no {what} {str(which)[:80]!r}")
        self.what = what
        self.which = which


class Forbidden(DocumentsError):
    """What a person may not do here."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class AlreadyThere(DocumentsError):
    """Something of this name is there already."""

    def __init__(self, what: str, which: str) -> None:
        super().__init__(f"there is a {what} {which[:80]!r} already")
        self.what = what
        self.which = which


class VaultFailed(DocumentsError):
    """The storage of files can't be reached, or refuses: trying again may help.

    `reason` names neither a file nor an address: it may be shown to people.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(f"the vault failed: {reason}")
        self.reason = reason


class NotInVault(DocumentsError):
    """A file is not, or no longer, where the vault keeps it."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the vault has no {key!r}")
        self.key = key


class BadKey(DocumentsError):
    """What is no key of the vault: a way out of it, above all."""

    def __init__(self, key: str) -> None:
        super().__init__(f"{key[:80]!r} is no key of the vault")
        self.key = key


class TooLarge(Rejected):
    """A file that is longer than files may be."""

    def __init__(self, limit_bytes: int) -> None:
        megabytes = f"{limit_bytes / 1_048_576:,.0f}"
        super().__init__("FILE_TOO_LARGE", f"a file may have {megabytes} MB: send a smaller one")
        self.limit_bytes = limit_bytes


class TooLate(DocumentsError):
    """An extraction that has ended already, or was agreed to by others; ask for a new estimate."""

    def __init__(self, extraction_id: UUID, status: str) -> None:
        super().__init__(f"extraction {extraction_id} is {status}: ask for a new estimate")
        self.extraction_id = extraction_id
        self.status = status


class EngineClosed(DocumentsError):
    """A service that extracts refuses our key: nothing helps but another key, or another day."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the extraction service does not let us in: {reason}")
        self.reason = reason


class EndedAlready(DocumentsError):
    """A job that has ended, so that it can't be cancelled any more."""

    def __init__(self, job_id: UUID, state: str) -> None:
        super().__init__(f"job {job_id} is {state}: it can't be cancelled any more")
        self.job_id = job_id
        self.state = state


class RolesRefused(DocumentsError):
    """The roles that keep tenants apart can't be made by who migrates."""

    def __init__(self, roles: tuple[str, ...]) -> None:
        named = ", ".join(roles)
        made = " ".join(f"CREATE ROLE {role} NOLOGIN;" for role in roles)
        super().__init__(
            f"the tables need the roles {named}: migrate once as a superuser, or let one say "
            f"{made} GRANT {named} TO whoever migrates WITH ADMIN OPTION"
        )
        self.roles = roles


class NotOfRole(DocumentsError):
    """Who has logged in to the database may not act as a role that keeps tenants apart."""

    def __init__(self, role: str) -> None:
        super().__init__(
            f"this login of the database may not act as {role}: let who made the tables run "
            "`leasehold-documents migrate`, which gives it to the queue's workers, or grant it"
        )
        self.role = role
