"""`leasehold-memory export`, `import` and `replay`: a whole memory out, in, and derived anew."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from leasehold.cli.kit import answer, with_session
from leasehold_memory.cli.homes import HomeCommand, home_option, open_memory_of, preset_option

if TYPE_CHECKING:
    from leasehold.cli.kit import Session

_STANDARD = "-"
_EXPORT_EXAMPLE = """\
leasehold-memory export memories.jsonl
leasehold-memory export - | gzip > memories.jsonl.gz"""
_IMPORT_EXAMPLE = """\
leasehold-memory import memories.jsonl
leasehold-memory import memories.jsonl --preset second"""


@click.command("export", cls=HomeCommand, example=_EXPORT_EXAMPLE)
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path))
@preset_option
@home_option
@with_session
def export(session: Session, *, file: Path, preset: str | None, home: Path) -> None:
    """Write all memories as JSON lines, also secret ones; - is standard output.

    The file must not be there yet, and only its owner may read it.
    """
    from leasehold_memory.exporting import export_memory

    with ExitStack() as stack:
        memory = stack.enter_context(open_memory_of(home, preset))
        is_standard = str(file) == _STANDARD
        out = sys.stdout.buffer if is_standard else _create(stack, file)
        written = export_memory(memory, out)
    if not is_standard:
        told = f"{written.units} memories and {written.entities} people and things are in {file}"
        answer(session, told, **written._asdict())


@click.command("import", cls=HomeCommand, example=_IMPORT_EXAMPLE)
@click.argument("file", type=click.File("rb"))
@preset_option
@home_option
@with_session
def import_(session: Session, *, file: BinaryIO, preset: str | None, home: Path) -> None:
    """Bring in what `export` has written: all of it or nothing; - is standard input.

    What is there already stays; the same file again changes nothing. Vectors are made by jobs.
    """
    from leasehold_memory.exporting import import_memory

    with open_memory_of(home, preset) as memory:
        read = import_memory(memory, file)
    told = f"{read.units} memories are new or newer; {read.jobs} jobs make their vectors"
    answer(session, told, **read._asdict())


@click.command(cls=HomeCommand, example="leasehold-memory replay")
@preset_option
@home_option
@with_session
def replay(session: Session, *, preset: str | None, home: Path) -> None:
    """Derive everything again from what was said; a companion that runs does the jobs."""
    from leasehold_memory.replaying import replay as replay_memory

    with open_memory_of(home, preset) as memory:
        replayed = replay_memory(memory)
    told = f"{replayed.jobs} jobs derive everything again from {replayed.episodes} episodes"
    answer(session, told, **replayed._asdict())


def _create(stack: ExitStack, file: Path) -> BinaryIO:
    """Open a new file for its owner alone."""
    import os

    try:
        opened = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except OSError as error:
        raise click.BadParameter(f"{file}: {error.strerror}", param_hint="FILE") from error
    return stack.enter_context(os.fdopen(opened, "wb"))
