"""`leasehold` as it is, but with so many pooled connections: `… 2 serve --port 0`."""

from __future__ import annotations

import sys

from leasehold.cli import main
from leasehold.store.postgres.connection import Pool

if __name__ == "__main__":
    Pool.__init__.__defaults__ = (int(sys.argv.pop(1)),)
    main()
