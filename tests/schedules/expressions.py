"""The rules that are compared with the walk, in each zone."""

from __future__ import annotations

# Read as they stand ("auto"). Many name hours in which clocks change somewhere: 0 to 4.
EXPRESSIONS = (
    "30 2 * * *",
    "0 2 * * *",
    "0 3 * * *",
    "59 1 * * *",
    "0 0 * * *",
    "30 0 * * *",
    "15 4 * * *",
    "0 1,2,3 * * *",
    "0 2,3 * * *",
    "*/15 2 * * *",
    "* 2 * * *",
    "5-10 0-3 * * *",
    "15,45 1-3 * * SUN",
    "0 12 * * MON-FRI",
    "0 22 * * 1-5",
    "30 2 * 3,10,11 SUN#2",
    "30 2 * * SUN#1",
    "30 1 * * 0L",
    "0 2 L * *",
    "30 23 LW * *",
    "0 0 1 * *",
    "0 0 1 1 *",
    "0 0 29 2 *",
    "0 9 13 * FRI",
    "0 9 */10 * MON",
    "45 2 25-31 OCT SUN",
    "@daily",
    "@weekly",
    "@monthly",
    "@yearly",
    "*/15 * * * *",
    "30 * * * *",
    "@hourly",
    "0 */2 * * *",
    "*/20 1-4/2 * * *",
    "10 */6 * * SAT,SUN",
    "7 * 28-31 MAR,OCT *",
    "15,45 30 2 * * *",
    "*/20 59 1 * * SUN",
    "30 0 */3 * * *",
)
# … and these in each of the three ways.
IN_EACH_WAY = (
    "30 2 * * *",
    "*/10 0-4 * * *",
    "0 */2 * * *",
    "0 * * * *",
    "20 0 2,3 * * SUN",
)
WAYS = ("once", "skip", "through")
NICKNAMES = {
    "@daily": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@hourly": "0 * * * *",
}


def cases() -> list[tuple[str, str]]:
    """Pair each rule with what it does where the clock changes."""
    auto = [(rule, "auto") for rule in EXPRESSIONS]
    return auto + [(rule, way) for rule in IN_EACH_WAY for way in WAYS]
