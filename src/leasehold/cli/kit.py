"""For the programs of applications: commands that ask, answer and fail as `leasehold`'s own do.

    from leasehold.cli.kit import Command, Program, with_session

A group of class `Program` turns leasehold's errors, and those that an application derives from
`LeaseholdError`, into one line and an exit code; each `Command` has --url, --json and --debug, and
gets what they say as its first argument by `with_session`.
"""

from __future__ import annotations

from leasehold.cli.commands import Command, Group, Listing, Program, with_session
from leasehold.cli.controlling import answer, os_user
from leasehold.cli.failing import (
    EXIT_CANCELLED,
    EXIT_DEAD,
    EXIT_NOT_FOUND,
    EXIT_REFUSED,
    EXIT_TOO_LATE,
    EXIT_UNAVAILABLE,
    EXIT_USAGE,
    NotFound,
)
from leasehold.cli.listening import listening_options, logging_options
from leasehold.cli.logs import set_up_logging
from leasehold.cli.output import (
    cell,
    first_line,
    make_list,
    make_table,
    plain,
    print_json,
    print_rows,
    printable,
    show,
)
from leasehold.cli.session import Session
from leasehold.cli.values import read_duration
from leasehold.cli.watching import senders, sending_options
from leasehold.cli.work import print_report

__all__ = [
    "EXIT_CANCELLED",
    "EXIT_DEAD",
    "EXIT_NOT_FOUND",
    "EXIT_REFUSED",
    "EXIT_TOO_LATE",
    "EXIT_UNAVAILABLE",
    "EXIT_USAGE",
    "Command",
    "Group",
    "Listing",
    "NotFound",
    "Program",
    "Session",
    "answer",
    "cell",
    "first_line",
    "listening_options",
    "logging_options",
    "make_list",
    "make_table",
    "os_user",
    "plain",
    "print_json",
    "print_report",
    "print_rows",
    "printable",
    "read_duration",
    "senders",
    "sending_options",
    "set_up_logging",
    "show",
    "with_session",
]
