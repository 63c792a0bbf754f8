"""What the commands about throttles, shares and queues have in common."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from leasehold.cli.values import read_until

if TYPE_CHECKING:
    from leasehold.cli.session import Session

_ENDLESS_YEAR = 9_000  # the stores write a pause without an end as one at the end of time


def os_user() -> str | None:
    """Who runs this program; None where the system has no name for them."""
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return None


NAME = click.argument("name")
BY = click.option(
    "--by", default=os_user, show_default="you, by your user name", help="Who did it; it is shown."
)
REASON = click.option("--reason", default="", help="Why; it is shown.")
UNTIL = click.option(
    "--until",
    type=read_until,
    metavar="TIME",
    help="How long, like 10m, or until when, like 2030-01-31T08:00Z.  [default: until resumed]",
)


def answer(session: Session, text: str, **fields: Any) -> None:
    """Say what was done: a line for people, the fields for programs."""
    if session.is_json:
        from leasehold.cli.output import print_json

        print_json(fields)
    else:
        click.echo(text)


def describe_pause(until: datetime | float | None) -> str:
    """Say how long a pause lasts that was just asked for."""
    from leasehold.model.wording import span

    if until is None:
        return "until it is resumed"
    return f"for {span(until)}" if isinstance(until, float) else f"until {until.isoformat()}"


def pause_cell(until: datetime | None, reason: str | None, by: str | None) -> str:
    """Say in a table until when something is paused, why and by whom; "" when it is not."""
    from leasehold.cli.output import first_line
    from leasehold.model.wording import since

    now = datetime.now(UTC)
    if until is None or until <= now:
        return ""
    is_endless = until.year >= _ENDLESS_YEAR
    end = (
        "until resumed" if is_endless else f"until {until:%Y-%m-%d %H:%M:%SZ}, {since(until, now)}"
    )
    remark = ", ".join(text for text in (reason and first_line(reason), by and f"by {by}") if text)
    return f"{end} ({remark})" if remark else end


def number(value: float | None) -> str:
    """Write an amount with two decimals at most."""
    return "" if value is None else f"{value:,.2f}".rstrip("0").rstrip(".")
