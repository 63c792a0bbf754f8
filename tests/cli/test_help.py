"""The help is quick, complete and has examples."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

from leasehold import __version__
from leasehold.cli.program import program
from tests.cli.kit import SCRIPT

if TYPE_CHECKING:
    from collections.abc import Iterator

HEAVY = {
    "asyncio",
    "leasehold.client",
    "leasehold.store",
    "leasehold.worker",
    "logging",
    "psycopg",
    "rich",
    "sqlite3",
    "subprocess",
}


def each_command(command: click.Command, *path: str) -> Iterator[tuple[str, ...]]:
    yield path
    if isinstance(command, click.Group):
        for name, child in command.commands.items():
            yield from each_command(child, *path, name)


ALL = list(each_command(program))


def help_of(*path: str) -> str:
    run = subprocess.run([SCRIPT, *path, "--help"], capture_output=True, check=True, text=True)
    return run.stdout


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_every_command_has_an_example_that_names_it(path: tuple[str, ...]) -> None:
    command: click.Command = program
    for name in path:
        assert isinstance(command, click.Group)
        command = command.commands[name]
    assert f"Example:\n  leasehold {' '.join(path)}" in (command.epilog or "")
    assert command.help


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_every_command_knows_the_shared_options(path: tuple[str, ...]) -> None:
    text = CliRunner().invoke(program, [*path, "-h"]).stdout
    assert all(option in text for option in ("--url", "--json", "--debug", "-h, --help"))


def test_the_help_lists_commands_and_exit_codes() -> None:
    text = help_of()
    for name in ("work", "enqueue", "jobs", "queues", "throttles", "shares", "workers", "doctor"):
        assert f"\n  {name} " in text
    codes = [line.split()[0] for line in text.partition("Exit codes:")[2].splitlines() if line]
    assert codes == ["0", "1", "2", "3", "4", "70"]


def test_the_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from leasehold.cli.program import program\n"
        "try: program(['--help'])\n"
        "except SystemExit: pass\n"
        "print(*sorted(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert not set(run.stdout.splitlines()[-1].split()) & HEAVY


def test_the_version_is_the_packages() -> None:
    run = subprocess.run([SCRIPT, "--version"], capture_output=True, check=True, text=True)
    assert run.stdout == f"leasehold {__version__}\n"
