"""Runs `leasehold-documents` inside this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from click.testing import CliRunner

from leasehold_documents.cli.program import program


@dataclass(frozen=True, slots=True)
class Said:
    """What a run of the program said and came to."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)


Run: TypeAlias = Callable[..., Said]


def runner(url: str, folder: Path, **more: str) -> Run:
    """Return what runs the program on this database, with its vault below the folder."""
    env = {"LEASEHOLD_URL": url, "LEASEHOLD_DOCUMENTS_VAULT": str(folder / "vault"), **more}

    def run(*words: str, stdin: str = "", **said: str) -> Said:
        result = CliRunner().invoke(program, list(words), input=stdin, env=env | said)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Said(result.exit_code, result.stdout, result.stderr)

    return run
