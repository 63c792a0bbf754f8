"""`leasehold-memory`, the companion on the command line. Each command is a module of its own."""

from __future__ import annotations


def main() -> None:
    """Run the program `leasehold-memory` and exit with its code."""
    from leasehold_memory.cli.speaking import speak_anywhere

    speak_anywhere()
    from leasehold_memory.cli.program import program

    program(prog_name="leasehold-memory")
