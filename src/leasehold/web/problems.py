"""Every error as a problem document (RFC 9457), with a type that programs can rely on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

import msgspec

from leasehold import errors

if TYPE_CHECKING:
    from leasehold.errors import LeaseholdError

MEDIA_TYPE = "application/problem+json"
_TYPE_PREFIX = "urn:leasehold:problem:"
_AGAIN_SECONDS = 1
_UNREACHABLE = "the database behind the queue can't be reached just now; try again"


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong with a request, and where: `body.priority`, `query.limit`."""

    at: str
    message: str


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What went wrong, as it is answered."""

    type: str
    title: str
    status: int
    detail: str
    instance: str = ""  # the path that was asked for
    faults: tuple[Fault, ...] = ()
    about: dict[str, Any] = {}  # what the error carries: ids, a state, a key
    headers: dict[str, str] = {}

    def encode(self) -> bytes:
        """Write the document; a lone surrogate in it is replaced, as no reader could decode it."""
        known = {name: getattr(self, name) for name in ("type", "title", "status", "detail")}
        rest = {"instance": self.instance, "faults": self.faults, "about": self.about}
        said = known | {name: value for name, value in rest.items() if value}
        return msgspec.json.encode(_clean(msgspec.to_builtins(said, str_keys=True)))


class Refused(Exception):
    """A request that is answered with a problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


class Kind(NamedTuple):
    """How an error is told over HTTP."""

    status: int
    title: str
    may_try_again: bool = False


# A class that is not here is told as the nearest one above it; a test asks that all are here.
KINDS: dict[type[LeaseholdError], Kind] = {
    errors.LeaseholdError: Kind(500, "Something went wrong"),
    errors.BadValue: Kind(422, "A value can't be used"),
    errors.BadArguments: Kind(422, "The arguments do not fit the task"),
    errors.BadResult: Kind(422, "The result can't be stored"),
    errors.BadCheckpoint: Kind(422, "The checkpoint can't be used"),
    errors.BadOption: Kind(422, "An option can't be used"),
    errors.BadKeyring: Kind(500, "The keys can't be used"),
    errors.BadWorkflow: Kind(422, "The steps do not fit together"),
    errors.UnknownTask: Kind(404, "No such task"),
    errors.DuplicateTask: Kind(409, "Two tasks have one name"),
    errors.JobNotFound: Kind(404, "No such job"),
    errors.ScheduleNotFound: Kind(404, "No such schedule"),
    errors.CredentialNotFound: Kind(404, "No such credential"),
    errors.WrongState: Kind(409, "Not possible in this state"),
    errors.IdConflict: Kind(409, "The id is another job's"),
    errors.QuotaExceeded: Kind(429, "The tenant's quota is used up", may_try_again=True),
    errors.NotForTenants: Kind(403, "Not for tenants"),
    errors.ForeignTenant: Kind(403, "Another tenant's"),
    errors.KeyHeld: Kind(409, "A live job has the key"),
    errors.NoResult: Kind(404, "No such result"),
    errors.BatchNotFound: Kind(404, "No such batch"),
    errors.BatchSealed: Kind(409, "The batch takes no more members"),
    errors.EncryptionError: Kind(500, "It can't be encrypted or read"),
    errors.NoKeyring: Kind(503, "There are no keys here"),
    errors.MissingKey: Kind(503, "A key is missing here"),
    errors.CryptoMissing: Kind(503, "Encryption is not installed here"),
    errors.PlainArguments: Kind(422, "Jobs of this task are encrypted"),
    errors.KeyInUse: Kind(409, "The key is still needed"),
    errors.BadCiphertext: Kind(409, "An encrypted value was tampered with"),
    errors.LeaseLost: Kind(409, "The lease is lost"),
    errors.JobFailed: Kind(409, "The job is dead"),
    errors.JobCancelled: Kind(409, "The job was cancelled"),
    errors.NoSandbox: Kind(503, "A task can't be bounded here"),
    errors.ChildDied: Kind(500, "A task's process died"),
    errors.LimitExceeded: Kind(500, "A task is over a limit"),
    errors.MemoryLimit: Kind(500, "A task is over its memory limit"),
    errors.CpuLimit: Kind(500, "A task is over its CPU limit"),
    errors.FileSizeLimit: Kind(500, "A task wrote too large a file"),
    errors.WaitTimeout: Kind(504, "It has not ended in time"),
    errors.StoreError: Kind(500, "The database refused"),
    errors.StoreUnavailable: Kind(503, "The database can't be reached", may_try_again=True),
    errors.StoreBusy: Kind(503, "The database is busy", may_try_again=True),
    errors.KeyBusy: Kind(503, "The key is busy", may_try_again=True),
    errors.QuotaBusy: Kind(503, "The tenant's quotas are busy", may_try_again=True),
    errors.BatchBusy: Kind(503, "The batch is busy", may_try_again=True),
    errors.StoreFull: Kind(507, "The database is full"),
    errors.StoreRefused: Kind(503, "The database can't be used"),
    errors.StoreMoved: Kind(503, "The queue has moved"),
    errors.SchemaMismatch: Kind(503, "The tables do not fit this version"),
}

TITLES = {
    400: "Bad request",
    401: "Who is it?",
    403: "Refused",
    404: "Not found",
    405: "Method not allowed",
    409: "Conflict",
    413: "Too large",
    415: "Unsupported media type",
    421: "Unknown host",
    422: "The request can't be used",
    429: "Too many at once",
    500: "Something went wrong",
    503: "Not ready",
    507: "No space left",
}


def make_problem(status: int, name: str, detail: str, **rest: Any) -> Problem:
    """Make a problem that stands for no error of ours."""
    title = TITLES.get(status, "Error")
    return Problem(type=_TYPE_PREFIX + name, title=title, status=status, detail=detail, **rest)


def problem_of(error: LeaseholdError) -> Problem:
    """Tell an error; what a driver says of a database that can't be reached stays in the log."""
    found = next(each for each in type(error).__mro__ if each in KINDS)
    kind = KINDS[found]
    is_vague = isinstance(error, errors.StoreUnavailable)
    return Problem(
        type=type_of(found),
        title=kind.title,
        status=kind.status,
        detail=_UNREACHABLE if is_vague else " ".join(str(error).split()),
        about={} if is_vague else {name: _plain(value) for name, value in vars(error).items()},
        headers={"Retry-After": _again(error)} if kind.may_try_again else {},
    )


def _again(error: LeaseholdError) -> str:
    """Say in how many seconds to try again: as the error knows, else soon."""
    known = getattr(error, "retry_after", None)
    return str(_AGAIN_SECONDS if known is None else max(1, math.ceil(known)))


def type_of(error: type[LeaseholdError]) -> str:
    """Name the problem's type: `JobNotFound` is `urn:leasehold:problem:job-not-found`."""
    words = "".join(
        f"-{letter.lower()}" if letter.isupper() else letter for letter in error.__name__
    )
    return _TYPE_PREFIX + words.lstrip("-")


def _plain(value: object) -> Any:
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value if value is None or isinstance(value, (str, int, float)) else str(value)


def _clean(value: Any) -> Any:
    match value:
        case str():
            return value.encode("utf-8", "replace").decode()
        case dict():
            return {_clean(name): _clean(each) for name, each in value.items()}
        case list():
            return [_clean(each) for each in value]
        case _:
            return value
