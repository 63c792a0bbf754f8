"""The command line. Modules here import at their top only what is light: `--help` stays quick."""

from __future__ import annotations


def main() -> None:
    """Run the program `leasehold` and exit with its code."""
    from leasehold.cli.program import program

    program(prog_name="leasehold")
