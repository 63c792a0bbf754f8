"""`make bench`: measures, prints a table and writes JSON.

python -m bench --jobs 100000 --repeat 3 --out bench/results.json
"""

from __future__ import annotations

import argparse
import json
import platform
import sqlite3
import statistics
import sys
import tempfile
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bench import measures
from leasehold import __version__
from leasehold.store import open_store
from tests.postgres_server import PostgresServer

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.measures import Figures

MEASURES: dict[str, Callable[[str, int], Figures]] = {
    "bulk enqueue": measures.bulk_enqueue,
    "single enqueue": measures.single_enqueue,
    "drain, async handlers": measures.drain,
    "drain, blocking handlers": partial(measures.drain, kind="blocking"),
    "pick-up": measures.pick_up,
}


def main() -> None:
    options = read_options()
    with ExitStack() as stack:
        fresh = {
            "sqlite": lambda: fresh_sqlite(stack),
            "postgres": partial(fresh_postgres, stack.enter_context(PostgresServer()))
            if "postgres" in options.store
            else None,
        }
        results = [
            measure(store, name, fresh[store], options)
            for store in options.store
            for name in MEASURES
            if options.only in name
        ]
    report = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "leasehold": __version__,
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "jobs": options.jobs,
        "repeat": options.repeat,
        "results": results,
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(report, indent=2) + "\n")
    print(f"written to {options.out}")


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--jobs", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--store", nargs="+", default=["postgres", "sqlite"])
    parser.add_argument("--only", default="", help="part of a measure's name")
    parser.add_argument("--out", type=Path, default=Path("bench/results/latest.json"))
    return parser.parse_args()


def measure(
    store: str, name: str, fresh: Callable[[], str] | None, options: argparse.Namespace
) -> dict[str, object]:
    """Repeat one measure, each time on a fresh database; the medians are printed."""
    if fresh is None:
        sys.exit(f"{store} was not asked for")
    runs = [MEASURES[name](fresh(), options.jobs) for _ in range(options.repeat)]
    medians = {figure: statistics.median(run[figure] for run in runs) for figure in runs[0]}
    shown = "  ".join(f"{figure} {value:,.2f}" for figure, value in medians.items())
    print(f"{store:9} {name:26} {shown}", flush=True)
    return {"store": store, "measure": name, "medians": medians, "runs": runs}


def fresh_sqlite(stack: ExitStack) -> str:
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="leasehold-bench-"))
    return migrated(f"sqlite:///{folder}/queue.db")


def fresh_postgres(server: PostgresServer) -> str:
    return migrated(server.create_database())


def migrated(url: str) -> str:
    store = open_store(url)
    store.migrate()
    store.close()
    return url


if __name__ == "__main__":
    main()
