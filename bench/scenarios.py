"""Every scenario of the suite: what is measured, where, and how much of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from bench import tasks
from bench.crew import Crew
from bench.database import POSTGRES, SQLITE, Size
from bench.documents import begin_beside, begin_documents, extract_small
from bench.documents_extracting import parse_long, parse_small, recognize
from bench.documents_searching import search_chunks
from bench.draining import Beside, Plan, drain
from bench.enqueueing import bulk_enqueue, raw_insert, single_enqueue
from bench.idling import idle_workers
from bench.importing import cancel_links, import_links
from bench.keeping import drain_beside_retention
from bench.laned import (
    bulk_enqueue_keyed,
    drain_behind_closed,
    drain_shares,
    drain_throttled,
    small_share,
)
from bench.latency import BUSY_PACE, IDLE_PACE, pick_up
from bench.links_enriching import enrich_beside, enrich_links, extract
from bench.memory_chat import chat_beside_jobs
from bench.memory_jobs import embed_units, remember_episodes
from bench.memory_retrieving import retrieve_units
from bench.memory_running import start_and_idle
from bench.raw import sql_statements, store_calls
from bench.remembering import memory_over_time
from bench.syncing import sync_beside_a_limit, sync_customers
from bench.watching import drain_watched, page_times

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.database import Database, Figures

BOTH = (POSTGRES, SQLITE)
MILLION = 1_000_000

PLAIN = Size(jobs=100_000)
SINGLE = Size(jobs=3_000)
OLD = Size(jobs=MILLION, beside=5 * MILLION)
LIVED_IN = Size(jobs=100_000, beside=MILLION)
WATCHED = Size(jobs=500_000, beside=100_000)
CREW = Crew(kinds=(tasks.noop.name,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One measure, each time on a fresh database."""

    name: str
    measure: Callable[[Database, Size], Figures]
    size: Size = PLAIN
    stores: tuple[str, ...] = BOTH


def draining(
    name: str,
    plan: Plan,
    *,
    jobs: int = PLAIN.jobs,
    beside: int = 0,
    stores: tuple[str, ...] = BOTH,
) -> Scenario:
    measure = partial(drain, plan=plan)
    return Scenario(name=name, measure=measure, size=Size(jobs=jobs, beside=beside), stores=stores)


# Those that are compared stand side by side, so that a noisy minute strikes both.
SCENARIOS = (
    Scenario(name="bulk enqueue", measure=bulk_enqueue),
    Scenario(name="single enqueue", measure=single_enqueue, size=SINGLE),
    Scenario(name="raw single insert", measure=raw_insert, size=SINGLE),
    Scenario(name="raw SQL", measure=sql_statements, stores=(POSTGRES,)),
    Scenario(name="raw store calls", measure=store_calls),
    draining("drain, 1 process", Plan()),
    draining("drain, 2 processes", Plan(processes=2)),
    draining("drain, 4 processes", Plan(processes=4)),
    draining("drain, blocking handlers", Plan(kind=tasks.blocking.name)),
    # Its slots are processes: as many as help, not as many as there could be.
    draining("drain, process handlers", Plan(kind=tasks.isolated.name, slots=4), jobs=5_000),
    draining("drain, with results", Plan(kind=tasks.returning.name)),
    draining("drain, failing once", Plan(kind=tasks.failing.name), jobs=50_000),
    draining(
        "drain, 5 queues of 10 priorities",
        Plan(queues=tuple(f"queue{number}" for number in range(5)), priorities=10),
    ),
    draining("drain, 16-character tenant", Plan(tenant="tenant-number-16"), stores=(POSTGRES,)),
    draining("drain, much waiting", Plan(beside=Beside.WAITING), beside=MILLION),
    draining("drain, much scheduled", Plan(beside=Beside.SCHEDULED), beside=MILLION),
    draining("drain, much finished", Plan(beside=Beside.FINISHED), beside=5 * MILLION),
    Scenario(
        name="drain, old jobs kept",
        measure=partial(drain_beside_retention, is_pruning=False),
        size=OLD,
    ),
    Scenario(
        name="drain, old jobs go",
        measure=partial(drain_beside_retention, is_pruning=True),
        size=OLD,
    ),
    Scenario(
        name="drain, behind a closed key",
        measure=drain_behind_closed,
        size=Size(jobs=100_000, beside=100_000),
    ),
    Scenario(
        name="drain, throttled, 500 keys of 2",
        measure=drain_throttled,
        size=Size(jobs=100_000, beside=100_000),
    ),
    Scenario(
        name="drain, throttled, 4 processes",
        measure=partial(drain_throttled, processes=4),
        size=Size(jobs=100_000, beside=100_000),
    ),
    Scenario(
        name="drain, throttled, keys at random",
        measure=partial(drain_throttled, at_random=True),
        size=Size(jobs=100_000, beside=100_000),
    ),
    Scenario(name="drain, 10 shares", measure=drain_shares),
    Scenario(
        name="a share beside a backlog", measure=small_share, size=Size(jobs=1_000, beside=100_000)
    ),
    Scenario(name="bulk enqueue, keyed", measure=bulk_enqueue_keyed, size=Size(jobs=20_000)),
    draining("drain, long", Plan(), jobs=200_000),
    draining("drain, long, snapshot pinned", Plan(is_pinned=True), jobs=200_000),
    Scenario(
        name="pick-up, 1 idle worker",
        measure=partial(pick_up, workers=1, per_second=IDLE_PACE),
        size=Size(jobs=200),
    ),
    Scenario(
        name="pick-up, 4 idle workers",
        measure=partial(pick_up, workers=4, per_second=IDLE_PACE),
        size=Size(jobs=200),
    ),
    Scenario(
        name="pick-up, 1,000 jobs/s",
        measure=partial(pick_up, workers=1, per_second=BUSY_PACE),
        size=Size(jobs=5_000),
    ),
    Scenario(
        name="idle workers",
        measure=idle_workers,
        size=Size(jobs=200, seconds=20),
        stores=(POSTGRES,),
    ),
    Scenario(name="pages", measure=page_times, size=LIVED_IN),
    Scenario(
        name="drain, nobody watches",
        measure=partial(drain_watched, crew=CREW, is_watched=False),
        size=WATCHED,
    ),
    Scenario(
        name="drain, dashboard open",
        measure=partial(drain_watched, crew=CREW, is_watched=True),
        size=WATCHED,
    ),
    Scenario(name="memory", measure=memory_over_time, size=Size(jobs=MILLION)),
    Scenario(name="documents, small PDFs", measure=extract_small, size=Size(jobs=300)),
    Scenario(
        name="documents, begun by an idle worker", measure=begin_documents, size=Size(jobs=50)
    ),
    Scenario(
        name="documents, begun beside a backlog",
        measure=begin_beside,
        size=Size(jobs=20, beside=10_000),
    ),
    Scenario(
        name="documents, parsing 619 pages",
        measure=parse_long,
        size=Size(jobs=619),
        stores=(SQLITE,),
    ),
    Scenario(
        name="documents, parsing small PDFs",
        measure=parse_small,
        size=Size(jobs=500),
        stores=(SQLITE,),
    ),
    Scenario(name="documents, scans", measure=recognize, size=Size(jobs=3), stores=(SQLITE,)),
    # Of five tenants; `--only "documents, search" --scale 20` is a million chunks of a hundred.
    Scenario(name="documents, search", measure=search_chunks, size=Size(jobs=50_000)),
    Scenario(name="sync, customers", measure=sync_customers),
    Scenario(name="sync, a million customers", measure=sync_customers, size=Size(jobs=MILLION)),
    # So many that it is their speed, and not the tenth of a second in which the other app begins.
    Scenario(name="sync, beside a 429", measure=sync_beside_a_limit, size=Size(jobs=120_000)),
    Scenario(name="links, import", measure=import_links),
    Scenario(name="links, cancel an import", measure=cancel_links),
    Scenario(name="links, reading pages", measure=extract, size=Size(jobs=3_000), stores=(SQLITE,)),
    Scenario(name="links, enriching", measure=enrich_links, size=Size(jobs=3_000)),
    Scenario(
        name="links, one domain beside 1,000",
        measure=enrich_beside,
        size=Size(jobs=1_000, beside=1_000),
    ),
    Scenario(
        name="memory, an episode remembered",
        measure=remember_episodes,
        size=Size(jobs=10),
        stores=(SQLITE,),
    ),
    Scenario(
        name="memory, jobs without a model",
        measure=embed_units,
        size=Size(jobs=2_000),
        stores=(SQLITE,),
    ),
    Scenario(
        name="memory, first words of a reply",
        measure=chat_beside_jobs,
        size=Size(jobs=100, beside=1_000),
        stores=(SQLITE,),
    ),
    Scenario(
        name="memory, started and idle",
        measure=start_and_idle,
        size=Size(jobs=2, seconds=20.0),
        stores=(SQLITE,),
    ),
    # `--only "memory, retrieval" --scale 10` is 200,000 units.
    Scenario(
        name="memory, retrieval",
        measure=retrieve_units,
        size=Size(jobs=20_000),
        stores=(SQLITE,),
    ),
)
