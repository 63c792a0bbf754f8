"""Who is measured, and what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

PlaceName = Literal["postgres", "sqlite", "redis"]
Language = Literal["python", "node"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """One queue. Its adapter is `ADAPTER_peer`, its folder below the peers' home `environment`."""

    name: str
    title: str
    place: PlaceName
    adapter: str
    environment: str
    language: Language = "python"
    # How many jobs it gets, of those the fastest get: a drain should last seconds, not minutes.
    share: float = 1.0
    # W6: how many times the jobs that are drained wait.
    depth: int = 10
    # W2: how many jobs a call of its batch API gets; the best counts.
    bulk_sizes: tuple[int, ...] = (1_000,)
    # Counts the jobs that are not complete, where the peer keeps a record of it.
    unfinished: str | None = None

    @property
    def is_ours(self) -> bool:
        return self.adapter == "leasehold"


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One measurement, and the figure of it that is compared."""

    code: str
    title: str
    figure: str = "jobs_per_second"
    places: tuple[PlaceName, ...] = ("postgres", "sqlite", "redis")


WORKS = (
    Work(code="W1", title="single enqueue"),
    Work(code="W2", title="bulk enqueue"),
    Work(code="W3", title="drain, 1"),
    Work(code="W4", title="drain, 2"),
    Work(code="W5", title="pick-up", figure="p50_ms"),
    Work(code="W6", title="drain, deep", places=("postgres",)),
    Work(code="W7", title="drain, pinned", places=("postgres",)),
)

LEASEHOLD = Peer(
    name="leasehold",
    title="leasehold",
    place="postgres",
    adapter="leasehold",
    environment="",
    unfinished="SELECT (SELECT count(*) FROM leasehold.ready)"
    " + (SELECT count(*) FROM leasehold.lease)"
    " + (SELECT count(*) FROM leasehold.scheduled)"
    " + (SELECT count(*) FROM leasehold.parked)",
)
LEASEHOLD_SQLITE = Peer(
    name="leasehold-sqlite",
    title="leasehold (SQLite)",
    place="sqlite",
    adapter="leasehold",
    environment="",
    unfinished="SELECT (SELECT count(*) FROM leasehold_ready)"
    " + (SELECT count(*) FROM leasehold_lease)"
    " + (SELECT count(*) FROM leasehold_scheduled)"
    " + (SELECT count(*) FROM leasehold_parked)",
)
OURS = (LEASEHOLD, LEASEHOLD_SQLITE)


def _on_redis(name: str, title: str, share: float = 0.1) -> Peer:
    return Peer(
        name=name,
        title=f"{title} (Redis)",
        place="redis",
        adapter=name,
        environment=f"venvs/{name}",
        share=share,
    )


PEERS = (
    Peer(
        name="graphile-worker",
        title="graphile-worker",
        place="postgres",
        adapter="graphile_worker",
        environment="npm",
        language="node",
        bulk_sizes=(1_000, 5_000),
        unfinished="SELECT count(*) FROM graphile_worker._private_jobs",
    ),
    Peer(
        name="pg-boss",
        title="pg-boss 12",
        place="postgres",
        adapter="pgboss",
        environment="npm22",
        language="node",
        depth=2,
        bulk_sizes=(1_000, 5_000),
        unfinished="SELECT count(*) FROM pgboss.job WHERE name = 'bench' AND state < 'completed'",
    ),
    Peer(
        name="pgqueuer",
        title="PgQueuer",
        place="postgres",
        adapter="pgqueuer",
        environment="venvs/pgqueuer",
        depth=2,
        bulk_sizes=(1_000, 5_000),
        unfinished="SELECT count(*) FROM pgqueuer",
    ),
    Peer(
        name="chancy",
        title="Chancy",
        place="postgres",
        adapter="chancy",
        environment="venvs/chancy",
        share=0.2,
        bulk_sizes=(1_000, 5_000),
        unfinished="SELECT count(*) FROM chancy_jobs WHERE state NOT IN ('succeeded', 'failed')",
    ),
    Peer(
        name="procrastinate",
        title="Procrastinate",
        place="postgres",
        adapter="procrastinate",
        environment="venvs/procrastinate",
        share=0.05,
        depth=40,
        bulk_sizes=(1_000, 5_000),
        unfinished="SELECT count(*) FROM procrastinate_jobs WHERE status IN ('todo', 'doing')",
    ),
    Peer(
        name="dbos",
        title="DBOS",
        place="postgres",
        adapter="dbos",
        environment="venvs/dbos",
        share=0.02,
        unfinished="SELECT count(*) FROM dbos.workflow_status"
        " WHERE status IN ('ENQUEUED', 'PENDING', 'DELAYED')",
    ),
    Peer(
        name="huey",
        title="Huey (SQLite)",
        place="sqlite",
        adapter="huey",
        environment="venvs/huey",
        share=0.1,
    ),
    _on_redis("celery", "Celery"),
    _on_redis("dramatiq", "Dramatiq"),
    _on_redis("arq", "arq"),
    _on_redis("taskiq", "taskiq"),
    _on_redis("saq", "saq"),
    _on_redis("rq", "rq", share=0.03),
)


def counterpart(peer: Peer) -> Peer:
    """Return the leasehold that this peer is compared with: SQLite with SQLite."""
    return LEASEHOLD_SQLITE if peer.place == "sqlite" else LEASEHOLD


def with_counterparts(peers: Sequence[Peer]) -> list[Peer]:
    ours = {counterpart(peer).name for peer in peers} or {LEASEHOLD.name}
    return [*(one for one in OURS if one.name in ours), *peers]
