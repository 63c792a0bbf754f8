"""`python -m leasehold_sync.cli`."""

from __future__ import annotations

from leasehold_sync.cli import main

main()
