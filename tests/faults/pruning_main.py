"""A process that takes away old jobs in small steps, again and again, until it is killed."""

from __future__ import annotations

import contextlib
import sys

from leasehold.model.keeping import Pruning
from leasehold.store import open_store


def main(url: str, skew_seconds: str) -> None:
    with contextlib.closing(open_store(url)) as store:
        store.skew_seconds = float(skew_seconds)
        print("ready", flush=True)
        while True:
            for what in Pruning:
                cursor: str | None = ""
                while cursor is not None:
                    cursor = store.prune(what, cursor or None, limit=5).cursor


if __name__ == "__main__":
    main(*sys.argv[1:])
