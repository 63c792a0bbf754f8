"""`leasehold doctor`: look at a queue's health."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from leasehold.cli.commands import Command, with_session
from leasehold.cli.failing import EXIT_REFUSED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.cli.session import Session
    from leasehold.model.values import Finding

_STYLES = {"ok": "green", "warning": "yellow", "problem": "bold red"}


@click.command(cls=Command, example="leasehold doctor || echo 'look at this'")
@with_session
def doctor(session: Session) -> None:
    """Look at tables, database, clock, wake-up path, workers, leases, jobs and schedules.

    Exits 0 when all is well or there are only warnings, 1 when there is a problem.
    """
    from leasehold.examining import examine

    with session.client() as client:
        findings = examine(client)
    has_problem = any(each.level == "problem" for each in findings)
    if session.is_json:
        _print_json(findings, is_ok=not has_problem)
    else:
        _print(session, findings)
    click.get_current_context().exit(EXIT_REFUSED if has_problem else 0)


def _print_json(findings: Sequence[Finding], *, is_ok: bool) -> None:
    from leasehold.cli.output import plain, print_json

    print_json({"is_ok": is_ok, "findings": [plain(each) for each in findings]})


def _print(session: Session, findings: Sequence[Finding]) -> None:
    from leasehold.cli.output import cell, make_list, show
    from leasehold.model.wording import count

    table = make_list(3)
    for each in findings:
        told = f"{each.message}\n→ {each.remedy}" if each.remedy else each.message
        table.add_row(
            cell(each.level, _STYLES[each.level]), cell(each.topic), cell(told, wraps=True)
        )
    levels = [each.level for each in findings]
    warnings, problems = levels.count("warning"), levels.count("problem")
    total = f"{count(problems, 'problem')}, {count(warnings, 'warning')}"
    show(cell(session.shown_url, "bold"), table, cell(total))
