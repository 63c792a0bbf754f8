"""`leasehold-memory doctor`: look at a home's health."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from leasehold.cli.kit import (
    EXIT_REFUSED,
    cell,
    make_list,
    plain,
    print_json,
    show,
    with_session,
)
from leasehold_memory.cli.homes import HomeCommand, home_option, open_home

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.cli.kit import Session
    from leasehold_memory.companion.examining import Finding

_STYLES = {"ok": "green", "warning": "yellow", "problem": "bold red"}


@click.command(cls=HomeCommand, example="leasehold-memory doctor || echo 'look at this'")
@home_option
@with_session
def doctor(session: Session, *, home: Path) -> None:
    """Look at the settings, each memory and its jobs, the embedder and the model.

    Exits 0 when all is well or there are only warnings, 1 when there is a problem.
    """
    from leasehold_memory.companion.examining import examine

    with open_home(home) as settings:
        findings = list(examine(settings))
    has_problem = any(each.level == "problem" for each in findings)
    if session.is_json:
        print_json({"is_ok": not has_problem, "findings": [plain(each) for each in findings]})
    else:
        _print(home, findings)
    click.get_current_context().exit(EXIT_REFUSED if has_problem else 0)


def _print(home: Path, findings: Sequence[Finding]) -> None:
    table = make_list(3)
    for each in findings:
        table.add_row(
            cell(each.level, _STYLES[each.level]), cell(each.topic), cell(each.message, wraps=True)
        )
    show(cell(str(home), "bold"), table)
