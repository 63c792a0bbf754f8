"""`make faults`: the whole campaign on both stores, with figures; exits 1 if a promise broke."""

from __future__ import annotations

import argparse
import json
import secrets
import shutil
import sys
import tempfile
from contextlib import AbstractContextManager
from dataclasses import asdict, replace
from pathlib import Path

from tests.faults.campaign import Campaign, Plan
from tests.faults.target import Target, postgres_target, sqlite_target

_SHOWN = 20
PLANS = {
    "postgres": Plan(jobs=20_000, kills=100, stops=30, crashes=3, seed=0),
    "sqlite": Plan(jobs=10_000, kills=100, stops=10, crashes=0, seed=0, most_inside_ms=2),
}


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    for store in PLANS:
        parser.add_argument(f"--{store}", action="store_true", help="only this store")
    for name in ("jobs", "kills", "stops", "crashes", "seed", "workers"):
        parser.add_argument(f"--{name}", type=int)
    return parser.parse_args()


def make_plan(store: str, given: argparse.Namespace) -> Plan:
    named = {name: value for name, value in vars(given).items() if type(value) is int}
    if store == "sqlite":
        named.pop("crashes", None)  # there is no server to crash
    return replace(PLANS[store], **{"seed": secrets.randbelow(1 << 32), **named})


def open_target(store: str, folder: Path) -> AbstractContextManager[Target]:
    return sqlite_target(folder) if store == "sqlite" else postgres_target()


def run(store: str, plan: Plan) -> bool:
    """Run one campaign and print its figures; its logs are kept when something was wrong."""
    folder = Path(tempfile.mkdtemp(prefix="leasehold-faults-"))
    print(f"{store}: {plan}; logs in {folder}", flush=True)
    with open_target(store, folder) as target:
        campaign = Campaign(plan, target, folder)
        figures = campaign.run()
    print(figures.table(), json.dumps(asdict(figures)), "", sep="\n", flush=True)
    for violation in campaign.violations[:_SHOWN]:
        print(*violation, sep=" · ")
    if figures.is_clean:
        shutil.rmtree(folder)
    return figures.is_clean


def main() -> int:
    given = read_arguments()
    chosen = [store for store in PLANS if getattr(given, store)] or list(PLANS)
    are_clean = [run(store, make_plan(store, given)) for store in chosen]
    return 0 if all(are_clean) else 1


if __name__ == "__main__":
    sys.exit(main())
