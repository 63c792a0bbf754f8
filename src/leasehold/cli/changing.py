"""Changes several jobs, one after the other, and says what became of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import click

from leasehold.cli.failing import EXIT_REFUSED, exit_code_of
from leasehold.errors import LeaseholdError, StoreError

if TYPE_CHECKING:
    from leasehold.cli.session import Session
    from leasehold.client import Client

Change: TypeAlias = "Callable[[Client, str], str]"


class Changed(NamedTuple):
    """What became of one job; `error` says why nothing did."""

    id: str
    state: str | None
    error: LeaseholdError | None = None


def change_jobs(
    session: Session,
    ids: tuple[str, ...],
    change: Change,
    *,
    told: Mapping[str, str] | None = None,
) -> None:
    """Change each job, print each answer, and exit with what went wrong, if anything did.

    One that can't be changed does not keep the others from it; a store that fails does.
    """
    with session.client() as client:
        answers = [_change(client, job_id, change) for job_id in ids]
    if session.is_json:
        _print_json(answers)
    else:
        for each in answers:
            _print(each, told or {})
    click.get_current_context().exit(_exit_code(answers))


def _change(client: Client, job_id: str, change: Change) -> Changed:
    try:
        return Changed(job_id, str(change(client, job_id)))
    except StoreError:
        raise
    except LeaseholdError as error:
        return Changed(job_id, getattr(error, "state", None), error)


def _print(changed: Changed, told: Mapping[str, str]) -> None:
    if changed.error is not None:
        click.echo(f"Error: {changed.error}", err=True)
    else:
        click.echo(f"{changed.id} {told.get(changed.state or '', changed.state)}")


def _print_json(answers: list[Changed]) -> None:
    from leasehold.cli.output import print_json

    print_json(
        {
            "jobs": [
                {"id": id_, "state": state, "error": None if error is None else str(error)}
                for id_, state, error in answers
            ]
        }
    )


def _exit_code(answers: list[Changed]) -> int:
    """A refusal goes before a job that is not there: the latter may be what was wanted."""
    codes = {exit_code_of(each.error) for each in answers if each.error is not None}
    return EXIT_REFUSED if EXIT_REFUSED in codes else min(codes, default=0)
