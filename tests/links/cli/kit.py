"""Runs `leasehold-links` inside this process."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from click.testing import CliRunner

from leasehold_links.cli.program import program


@dataclass(frozen=True, slots=True)
class Said:
    """What a run of the program said and came to."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


def run(url: str, *words: str, stdin: str | None = None) -> Said:
    result = CliRunner().invoke(program, list(words), env={"LEASEHOLD_URL": url}, input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Said(result.exit_code, result.stdout, result.stderr)
