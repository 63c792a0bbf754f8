"""`python -m leasehold_links.cli`."""

from __future__ import annotations

from leasehold_links.cli import main

main()
