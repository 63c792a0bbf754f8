"""`leasehold-memory`, the command that holds all others."""

from __future__ import annotations

from typing import Any

import click

from leasehold.cli.kit import Program
from leasehold_memory.cli.doctor import doctor
from leasehold_memory.cli.moving import export, import_, replay
from leasehold_memory.cli.presets import presets
from leasehold_memory.cli.run import run

EXIT_CODES = """\
\b
Exit codes:
  0   done
  1   refused or failed: the settings or a memory can't be used, the doctor found a problem
  2   wrong usage: an option or an argument can't be used
  3   no such home, preset or file
  4   the database can't be reached, is busy or full: trying again may help
"""
NAME = "leasehold-memory"
EXAMPLE = """\
leasehold-memory run
leasehold-memory presets use embedding second
leasehold-memory doctor"""


class _Program(Program):
    """The outermost command, which has no use for a database's URL either."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.params = [each for each in self.params if each.name != "url"]


@click.group(NAME, cls=_Program, example=EXAMPLE, notes=EXIT_CODES)
@click.version_option(package_name=NAME, message="%(prog)s %(version)s")
def program() -> None:
    """A companion that chats at once and remembers afterwards.

    It lives in the folder that --home or LEASEHOLD_MEMORY_HOME names, else ./memory.
    """


for _command in (run, doctor, replay, export, import_, presets):
    program.add_command(_command)
