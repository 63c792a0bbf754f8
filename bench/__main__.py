"""`make bench`: measures PostgreSQL and SQLite, prints tables and writes JSON.

Rounds are interleaved: each scenario once, then each once more, so that noise strikes all alike.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import report
from bench.fleet import BenchFailed
from bench.scenarios import BOTH, SCENARIOS
from bench.sources import SOURCES, describe_machine
from leasehold.errors import LeaseholdError

if TYPE_CHECKING:
    from bench.scenarios import Scenario
    from bench.sources import Source

SMOKE_SCALE = 0.002


def main() -> None:
    options = read_options()
    chosen = [each for each in SCENARIOS if any(part in each.name for part in options.only)]
    if options.list:
        for scenario in chosen:
            print(f"{scenario.name:34} {', '.join(scenario.stores):18} {scenario.size}")
        return
    with ExitStack() as stack:
        sources = {store: stack.enter_context(SOURCES[store]()) for store in options.store}
        machine = {
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            **describe_machine(),
            **{store: source.describe() for store, source in sources.items()},
            "scale": options.scale,
            "repeat": options.repeat,
        }
        plan = [(store, each) for each in chosen for store in sources if store in each.stores]
        results = [
            report.Result(store=store, scenario=each.name, size=each.size.scaled(options.scale))
            for store, each in plan
        ]
        for number in range(options.repeat):
            print(f"round {number + 1} of {options.repeat}", flush=True)
            for (store, scenario), result in zip(plan, results, strict=True):
                run_once(scenario, sources[store], result)
            # After each round: a long run that is broken off leaves what it has.
            write(options.out, report.as_document(machine, results))
    report.show(results)
    print(f"written to {options.out}")
    if any(result.errors for result in results):
        sys.exit("some runs failed")


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--store", nargs="+", choices=BOTH, default=list(BOTH))
    parser.add_argument("--only", nargs="+", default=[""], help="parts of scenarios' names")
    parser.add_argument("--repeat", type=int, default=3, help="rounds; medians are reported")
    parser.add_argument("--scale", type=float, default=1.0, help="0.01: a hundredth of every size")
    parser.add_argument("--out", type=Path, default=Path("bench/results/latest.json"))
    parser.add_argument("--list", action="store_true", help="only name the scenarios")
    parser.add_argument("--smoke", action="store_true", help="all once, tiny: does it still run?")
    options = parser.parse_args()
    if options.smoke:
        options.scale, options.repeat = SMOKE_SCALE, 1
    return options


def run_once(scenario: Scenario, fresh: Source, result: report.Result) -> None:
    """Add one run to the result, on a database of its own."""
    started = time.perf_counter()
    database = fresh()
    try:
        figures = scenario.measure(database, result.size)
    except (BenchFailed, LeaseholdError) as error:
        result.errors.append(str(error))
        said = f"FAILED: {error}"
    else:
        result.runs.append(figures)
        said = report.describe(figures)
    finally:
        database.drop()
    took = time.perf_counter() - started
    print(f"{result.store:8} {result.scenario:34} {took:6.1f} s  {said}", flush=True)


def write(path: Path, document: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    main()
