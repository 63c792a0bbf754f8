"""`python -m leasehold_documents.cli`."""

from __future__ import annotations

from leasehold_documents.cli import main

main()
