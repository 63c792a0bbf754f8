"""Runs the program: inside this process, or as the installed script in one of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from leasehold.cli.program import program

SCRIPT = str(Path(sys.executable).parent / "leasehold")
WAIT_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Answer:
    """What a run of the program said and came to."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True, slots=True)
class Cli:
    """The program against one database; scripts run in `folder`."""

    url: str
    folder: Path

    def __call__(self, *words: str, stdin: str | None = None) -> Answer:
        """Run it inside this process."""
        env = {"LEASEHOLD_URL": self.url}
        result = CliRunner().invoke(program, list(words), env=env, input=stdin)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Answer(result.exit_code, result.stdout, result.stderr)

    def script(self, *words: str, **env: str) -> Answer:
        """Run the installed script."""
        process = self.start(*words, **env)
        out, err = process.communicate(timeout=WAIT_SECONDS)
        return Answer(process.returncode, out, err)

    def start(self, *words: str, **env: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [SCRIPT, *words],
            cwd=self.folder,
            env=os.environ | {"LEASEHOLD_URL": self.url} | env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
