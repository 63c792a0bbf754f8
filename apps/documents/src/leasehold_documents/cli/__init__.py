"""`leasehold-documents`, the application on the command line. Each command is a module."""

from __future__ import annotations


def main() -> None:
    """Run the program `leasehold-documents` and exit with its code."""
    from leasehold_documents.cli.program import program

    program(prog_name="leasehold-documents")
