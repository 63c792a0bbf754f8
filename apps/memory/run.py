"""Starts the companion: `python -X utf8 run.py` is `leasehold-memory run`."""

from __future__ import annotations

import sys
from pathlib import Path

try:
    from leasehold_memory.cli import main
except ModuleNotFoundError:  # it is not installed: then this folder and the library beside it are
    here = Path(__file__).resolve().parent
    sys.path[:0] = [str(here / "src"), str(here.parent.parent / "src")]
    from leasehold_memory.cli import main

if __name__ == "__main__":
    sys.argv[1:1] = ["run"]
    main()
