"""`python -m leasehold_memory.cli`."""

from __future__ import annotations

from leasehold_memory.cli import main

main()
