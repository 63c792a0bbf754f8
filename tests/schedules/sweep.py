"""Compares every rule in every zone with the walk.

`python -m tests.schedules.sweep` is the long form: all zones over two years (`--year 2024`).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import takewhile
from zoneinfo import available_timezones

from leasehold.model.cron import compile_rule, read_rule
from tests.schedules.expressions import cases
from tests.schedules.walk import Walk, signature

YEARS = 2
_NOT_ZONES = ("localtime", "posixrules", "Factory")


@dataclass(slots=True)
class Comparison:
    """What was compared, and where both differ: (zone, rule, way, slots of one of them only)."""

    zones: int = 0
    comparisons: int = 0
    slots: int = 0
    differences: list[tuple[str, str, str, list[datetime]]] = field(default_factory=list)

    def add(self, other: Comparison) -> None:
        self.zones += other.zones
        self.comparisons += other.comparisons
        self.slots += other.slots
        self.differences += other.differences


def compare(zone: str, start: datetime, end: datetime) -> Comparison:
    """Compare all rules in one zone."""
    walk = Walk(zone, start, end)
    found = Comparison(zones=1)
    for rule, way in cases():
        expected = walk.slots(rule, way)
        slots_after = compile_rule(read_rule(rule), zone, way)
        actual = [int(s.timestamp()) for s in takewhile(lambda s: s <= end, slots_after(start))]
        found.comparisons += 1
        found.slots += len(expected)
        if actual != expected:
            odd = sorted(set(actual) ^ set(expected))[:5]
            named = [datetime.fromtimestamp(each, UTC) for each in odd]
            found.differences.append((zone, rule, way, named))
    return found


def all_zones() -> list[str]:
    return sorted(zone for zone in available_timezones() if zone not in _NOT_ZONES)


def group_alike(zones: Iterable[str], start: datetime, end: datetime) -> list[list[str]]:
    """Put zones together whose clocks were the same all the time."""
    alike: dict[object, list[str]] = defaultdict(list)
    for zone in zones:
        alike[signature(zone, start, end)].append(zone)
    return list(alike.values())


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.schedules.sweep", description=__doc__)
    parser.add_argument("--year", type=int, default=2026)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    start, end = (datetime(given.year + more, 1, 1, tzinfo=UTC) for more in (0, YEARS))
    began = time.monotonic()
    groups = group_alike(all_zones(), start, end)
    total = Comparison()
    with ProcessPoolExecutor(given.processes) as pool:
        one_of_each = [group[0] for group in groups]
        results = pool.map(compare, one_of_each, [start] * len(groups), [end] * len(groups))
        for group, result in zip(groups, results, strict=True):
            result.zones = len(group)
            total.add(result)
    print(
        f"{given.year} and {given.year + 1}: {total.zones} zones ({len(groups)} different clocks), "
        f"{len(cases())} rules, {total.comparisons} comparisons of {total.slots:,} slots, "
        f"{len(total.differences)} differences, {time.monotonic() - began:.0f} s"
    )
    for difference in total.differences[:20]:
        print(*difference)
    return 1 if total.differences else 0


if __name__ == "__main__":
    sys.exit(main())
