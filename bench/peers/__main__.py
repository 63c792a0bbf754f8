"""`make bench-peers`: runs leasehold and the peers in turns, prints ratios and writes JSON.

python -m bench.peers --peers graphile-worker pgqueuer --works W3 W4 --repeat 3 --jobs 100000
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sqlite3
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.peers.campaign import Campaign
from bench.peers.catalogue import PEERS, WORKS, PlaceName, with_counterparts
from bench.peers.measures import Sizes
from bench.peers.places import (
    POSTGRES_SETTINGS,
    Place,
    Postgres,
    Sqlite,
    has_redis,
    postgres_facts,
    redis_server,
)
from bench.peers.report import report_lines
from tests.postgres_server import PostgresServer

RESULTS = Path("bench/results")
FULL = Sizes(jobs=100_000, pick_up_jobs=200, quiet_seconds=8.0)
SMOKE = Sizes(jobs=200, pick_up_jobs=10, quiet_seconds=0.0)


def main() -> None:
    options = read_options()
    sizes = SMOKE if options.smoke else replace(FULL, jobs=options.jobs)
    with ExitStack() as stack:
        server = stack.enter_context(PostgresServer(settings=POSTGRES_SETTINGS))
        places: dict[PlaceName, Place] = {"postgres": Postgres(server), "sqlite": Sqlite()}
        if has_redis():
            places["redis"] = stack.enter_context(redis_server())
        campaign = Campaign(places, sizes)
        campaign.admit(with_counterparts([peer for peer in PEERS if peer.name in options.peers]))
        machine = machine_facts(server.url())
        for number in range(1, options.repeat + 1):
            campaign.run_round(f"{number}/{options.repeat}", options.works)
            # After each round: who ends a long run early keeps what was measured.
            facts = {**machine, "jobs": sizes.jobs, "repeat": number}
            write({**facts, **campaign.results()}, options.out)
    print("\n".join(report_lines(campaign.results())))
    print(f"\nwritten to {options.out}")


def read_options() -> argparse.Namespace:
    names = [peer.name for peer in PEERS]
    codes = [work.code for work in WORKS]
    parser = argparse.ArgumentParser(prog="bench.peers", description=__doc__)
    parser.add_argument("--peers", nargs="+", choices=names, default=names)
    parser.add_argument("--works", nargs="+", choices=codes, default=codes)
    parser.add_argument("--repeat", type=int, default=3, help="rounds, 1 or more")
    parser.add_argument(
        "--jobs", type=int, default=FULL.jobs, help="of the fastest peers; slow ones get a share"
    )
    parser.add_argument("--smoke", action="store_true", help="everything once, tiny: does it run?")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if options.smoke:
        options.repeat = 1
    options.out = options.out or RESULTS / ("peers-smoke.json" if options.smoke else "peers.json")
    return options


def machine_facts(postgres_url: str) -> dict[str, Any]:
    machine = {
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "postgres": postgres_facts(postgres_url),
    }
    return {"at": datetime.now(UTC).isoformat(timespec="seconds"), "machine": machine}


def write(report: dict[str, Any], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
