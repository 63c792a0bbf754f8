"""What a campaign came to: a table for people, JSON for programs."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.faults.checker import Violation
    from tests.faults.history import History


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """What was done to the workers and their database."""

    kills: int
    stops: int
    crashes: int
    repeated_enqueues: int
    late_writes_refused: int  # as the workers' logs tell; a killed one can't


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The line that we publish."""

    store: str
    seed: int
    seconds: float
    jobs: int
    kills: int
    stops: int
    crashes: int
    repeated_enqueues: int
    attempts: int
    lapses: int
    charged_lapses: int
    released: int
    failed: int
    succeeded: int
    dead: int
    effects: int
    late_writes_refused: int
    lost: int
    not_ended: int
    doubled: int
    late_writes_accepted: int
    violations: dict[str, int]

    @property
    def is_clean(self) -> bool:
        return not self.violations

    def table(self) -> str:
        """One figure a line, the ones that must be 0 at the end."""
        rows = {key.replace("_", " "): value for key, value in asdict(self).items()}
        rows["violations"] = ", ".join(f"{k}: {v}" for k, v in self.violations.items()) or "none"
        return "\n".join(f"{key:<22} {value}" for key, value in rows.items())


def make_figures(
    *,
    store: str,
    seed: int,
    seconds: float,
    history: History,
    violations: Sequence[Violation],
    faults: Faults,
) -> Figures:
    states = Counter(each.state for each in history.outcomes)
    lapses = [each for each in history.outcomes if (each.error or "").startswith("lapsed")]
    broken = Counter(each.invariant for each in violations)
    return Figures(
        store=store,
        seed=seed,
        seconds=round(seconds, 1),
        jobs=len(history.expected),
        kills=faults.kills,
        stops=faults.stops,
        crashes=faults.crashes,
        repeated_enqueues=faults.repeated_enqueues,
        attempts=len(history.outcomes),
        lapses=len(lapses),
        charged_lapses=sum(each.lapses > 1 for each in lapses),
        released=states["released"],
        failed=states["failed"],
        succeeded=states["succeeded"],
        dead=states["dead"],
        effects=len(history.effects),
        late_writes_refused=faults.late_writes_refused,
        lost=broken["no loss"],
        not_ended=broken["every job ended"],
        doubled=broken["one success"] + broken["effect once"],
        late_writes_accepted=broken["no late write"],
        violations=dict(broken),
    )
