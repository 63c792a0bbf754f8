"""`leasehold-sync`, the library on the command line. Each command is a module of its own."""

from __future__ import annotations


def main() -> None:
    """Run the program `leasehold-sync` and exit with its code."""
    from leasehold_sync.cli.program import program

    program(prog_name="leasehold-sync")
