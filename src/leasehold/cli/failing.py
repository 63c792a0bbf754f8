"""From an error to one line on stderr and an exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from leasehold.errors import (
    BadValue,
    BatchNotFound,
    JobCancelled,
    JobFailed,
    JobNotFound,
    LeaseholdError,
    ScheduleNotFound,
    SchemaMismatch,
    StoreBusy,
    StoreFull,
    StoreUnavailable,
    WaitTimeout,
)

if TYPE_CHECKING:
    from leasehold.cli.session import Session

EXIT_REFUSED = 1
EXIT_USAGE = 2
EXIT_NOT_FOUND = 3
EXIT_UNAVAILABLE = 4
EXIT_DEAD = 5
EXIT_CANCELLED = 6
EXIT_TOO_LATE = 7

_CODES: tuple[tuple[type[LeaseholdError] | tuple[type[LeaseholdError], ...], int], ...] = (
    (BadValue, EXIT_USAGE),
    ((BatchNotFound, JobNotFound, ScheduleNotFound, SchemaMismatch), EXIT_NOT_FOUND),
    ((StoreUnavailable, StoreBusy, StoreFull), EXIT_UNAVAILABLE),
    (JobFailed, EXIT_DEAD),
    (JobCancelled, EXIT_CANCELLED),
    (WaitTimeout, EXIT_TOO_LATE),
)


class NotFound(LeaseholdError):
    """What a command was to look at is not there."""


def exit_code_of(error: LeaseholdError) -> int:
    """Choose the exit code that scripts can tell errors apart by."""
    if isinstance(error, NotFound):
        return EXIT_NOT_FOUND
    return next((code for kinds, code in _CODES if isinstance(error, kinds)), EXIT_REFUSED)


def show_error(error: LeaseholdError, session: Session) -> None:
    """Write it to stderr, on one line and without a password; with --json as a JSON object."""
    import json
    import traceback

    if session.is_debug:
        trace = "".join(traceback.format_exception(error))
        click.echo(session.hide_secrets(trace), err=True)
    message = session.hide_secrets(" ".join(str(error).split()))
    if session.is_json:
        said = {"error": type(error).__name__, "message": message}
        click.echo(json.dumps(said | {"exit_code": exit_code_of(error)}), err=True)
    else:
        click.echo(f"Error: {message}", err=True)
