"""Runs `leasehold-sync` inside this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from click.testing import CliRunner

from leasehold_sync.cli.program import program


@dataclass(frozen=True, slots=True)
class Said:
    """What a run of the program said and came to."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


Run: TypeAlias = Callable[..., Said]


def runner(url: str) -> Run:
    def run(*words: str) -> Said:
        result = CliRunner().invoke(program, list(words), env={"LEASEHOLD_URL": url})
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Said(result.exit_code, result.stdout, result.stderr)

    return run
