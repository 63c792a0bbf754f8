"""Plans that were prepared on empty tables still use indexes when a crowd of jobs has come."""

from __future__ import annotations

import contextlib
import re
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec
import psycopg
import pytest

from leasehold.model.states import State
from leasehold.model.statistics import Counted, ranges_of
from leasehold.model.values import Filter, Want
from leasehold.store import open_store
from leasehold.store.postgres import connection as connections
from leasehold.store.postgres.claiming import ClaimRequest
from leasehold.store.postgres.store import PostgresStore
from leasehold.store.sql import load
from tests.conformance.kit import GREET, WORKER, claim, enqueue_one, held, raw, settlement
from tests.races.kit import _Given, crowd
from tests.races.test_hints import load_ready

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.model.values import Claim
    from leasehold.store.postgres.connection import Connection

PACKAGE = "leasehold.store.postgres"
JOBS = crowd(300_000)
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
COUNTED = Counted(queue="default", kind=GREET, fact="succeeded")
RANGES = ranges_of(LONG_AGO, 60)
WORKERS = ("claim", "finish", "succeed", "renew", "promote", "labels", "add_statistics")
STATEMENTS = (*WORKERS, "get", "cancel_waiting", "unhappy", "statistics", "floor_succeeded")
SMALL_SECONDS = 0.5  # a claim of 100 takes a few milliseconds; a scan of the table far longer


class Side:
    """A worker's and a person's connection, prepared while the tables were empty."""

    def __init__(self, url: str) -> None:
        self.connection: Connection = connections.connect(url, plans_once=True)
        self.store = PostgresStore(url, source=_Given(self.connection))
        self.store._claims[False]._levels.note_head_cost(0.0)
        self.persons_connection: Connection = connections.connect(url)
        self.persons_store = PostgresStore(url, source=_Given(self.persons_connection))
        for _ in range(8):  # after five of them PostgreSQL keeps a generic plan
            self._cycle()

    def _cycle(self) -> None:
        enqueue_one(self.store)
        doomed = enqueue_one(self.store, delay_seconds=3600.0)
        (taken,) = claim(self.store)
        self.store.finish(WORKER, [settlement(taken, "succeeded")])
        job_id = enqueue_one(self.store)
        (taken,) = claim(self.store)
        self.store.renew(WORKER, [held(taken)])
        self.persons_store.get(job_id)
        self.store.finish(WORKER, [settlement(taken, "succeeded", result=raw(1))])
        self.store.labels([job_id])
        self.store.add_statistics([COUNTED])
        self.persons_store.unhappy(since=LONG_AGO, limit=10)
        self.persons_store.statistics(RANGES)
        self.persons_store.floor(Filter(state=State.SUCCEEDED), before=None, count=10)
        self.store.promote(limit=10)
        self.persons_store.cancel(doomed, by=None)

    def close(self) -> None:
        self.connection.close()
        self.persons_connection.close()

    def plan(self, name: str, parameters: dict[str, Any]) -> str:
        """Explain the prepared statement as this connection would run it now."""
        text = load(PACKAGE, name)
        places = dict.fromkeys(re.findall(r"%\((\w+)\)s", text))
        connection = self.connection if name in WORKERS else self.persons_connection
        prepared = connection.execute(
            "SELECT name FROM pg_prepared_statements WHERE statement LIKE %s",
            (text.splitlines()[0].replace("%", r"\%") + "%",),
            prepare=False,
        ).fetchall()
        assert len(prepared) == 1, f"{name} is prepared {len(prepared)} times"
        cursor = psycopg.ClientCursor(connection)
        slots = ", ".join("%s" for _ in places)
        query = f'EXPLAIN EXECUTE "{prepared[0][0]}" ({slots})'
        rows = cursor.execute(query.encode(), [parameters[each] for each in places]).fetchall()
        return "\n".join(row[0] for row in rows)


@pytest.fixture(scope="module")
def empty_url(postgres_server: Any) -> Iterator[str]:
    url = postgres_server.create_database()
    with contextlib.closing(open_store(url)) as store:
        store.migrate()
    with psycopg.connect(url, autocommit=True) as connection:
        for table in ("job", "ready", "scheduled", "parked", "lease", "outcome"):
            connection.execute(
                f"ALTER TABLE leasehold.{table} SET (autovacuum_enabled = false)".encode()
            )
    yield url
    postgres_server.drop_database(url)


@pytest.fixture(scope="module")
def sides(empty_url: str) -> Iterator[tuple[Side, Side, list[Claim]]]:
    """A worker's connection, one without steady plans, and a hundred leases on the full tables."""
    steady = Side(empty_url)
    with pytest.MonkeyPatch.context() as patch:
        # Without a compiler, though: it would take half a minute, and changes no plan.
        patch.setattr(connections, "_STEADY_PLANS", "SELECT set_config('jit', 'off', false)")
        shaky = Side(empty_url)
    with psycopg.connect(empty_url) as loader:
        load_ready(loader, JOBS)
    started = time.monotonic()
    taken = claim(steady.store, limit=100)
    assert time.monotonic() - started < SMALL_SECONDS
    assert len(taken) == 100
    yield steady, shaky, taken
    steady.close()
    shaky.close()


def parameters(name: str, side: Side, taken: list[Claim]) -> dict[str, Any]:
    wants = [Want("default", 100)]
    scans = side.store._claims[False]._levels.scans(wants)
    request = ClaimRequest(WORKER, wants, 100, {GREET: 60.0}, side.store._skew)
    leases = [held(one) for one in taken]
    given: dict[str, dict[str, Any]] = {
        "claim": request.parameters()
        | {"levels": encode(scans), "queues": ["default"], "is_suspect": False},
        "finish": finishing("finish", taken),
        "succeed": finishing("succeed", taken),
        "renew": {"leases": encode(leases), "worker": WORKER},
        "get": {"job_id": taken[0].job_id},
        "cancel_waiting": {"job_id": taken[0].job_id, "by": None},
        "promote": {"limit": 100},
        "labels": {"job_ids": [one.job_id for one in taken]},
        "add_statistics": {"counted": encode([COUNTED])},
        "unhappy": {"since": LONG_AGO, "limit": 10_000},
        "statistics": {"ranges": encode(RANGES), "facts": None},
        "floor_succeeded": {"before": taken[0].job_id, "count": 1_000},
    }
    return given[name] | {"skew": side.store._skew}


def finishing(name: str, taken: list[Claim]) -> dict[str, Any]:
    return {
        **dict.fromkeys(re.findall(r"%\((\w+)\)s", load(PACKAGE, name)), "{}"),
        "job_ids": [one.job_id for one in taken],
        "worker": WORKER,
    }


def encode(value: object) -> str:
    return msgspec.json.encode(value).decode()


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_prepared_on_empty_tables_scans_no_table(
    sides: tuple[Side, Side, list[Claim]], name: str
) -> None:
    steady, _, taken = sides
    plan = steady.plan(name, parameters(name, steady, taken))
    assert "Seq Scan" not in plan, plan
    # A finish joins the leases that it has looked up with what is said of them.
    assert ("Hash Join" in plan) == (name in {"finish", "succeed"}), plan


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_prepared_on_empty_tables_looks_rows_up_by_a_key(
    sides: tuple[Side, Side, list[Claim]], name: str
) -> None:
    """Reading a whole index is no better than reading the table: 500 x 500 rows for a finish."""
    steady, _, taken = sides
    plan = steady.plan(name, parameters(name, steady, taken))
    assert whole_indexes(plan) <= {"scheduled_due"}, plan  # promote walks it from its head


def test_mutant_a_join_alone_reads_all_leases(postgres_url: str) -> None:
    joined = """
        DELETE FROM leasehold.lease
        USING jsonb_to_recordset($1) AS asked (job_id uuid, fence bigint)
        WHERE lease.job_id = asked.job_id AND lease.fence = asked.fence"""
    with contextlib.closing(open_store(postgres_url)) as store:
        store.migrate()
    with contextlib.closing(connections.connect(postgres_url, plans_once=True)) as connection:
        connection.execute("VACUUM ANALYZE leasehold.lease", prepare=False)
        connection.execute(f"PREPARE joined (jsonb) AS {joined}".encode(), prepare=False)
        rows = connection.execute("EXPLAIN EXECUTE joined ('[]')", prepare=False).fetchall()
    plan = "\n".join(row[0] for row in rows)
    assert "Hash Join" in plan, plan
    assert "Index Cond" not in plan, plan  # all leases are read


def whole_indexes(plan: str) -> set[str]:
    """Find the indexes that a plan reads without a condition."""
    found = re.findall(r"Scan using (\w+) on [^\n]*\n *([^\n]*)", plan)
    return {index for index, detail in found if not detail.startswith("Index Cond")}


def test_parameters_are_read_once_not_for_each_row(
    sides: tuple[Side, Side, list[Claim]],
) -> None:
    steady, _, _ = sides
    found = steady.connection.execute(
        "SELECT statement, parameter_types::text[] FROM pg_prepared_statements"
        " WHERE statement LIKE %s",
        ("%::jsonb%",),
        prepare=False,
    ).fetchall()
    assert found
    for statement, types in found:
        numbers = {int(number) for number in re.findall(r"\$(\d+)::jsonb", statement)}
        assert {types[number - 1] for number in numbers} <= {"jsonb"}, statement


def test_the_claim_uses_the_indexes_it_names(sides: tuple[Side, Side, list[Claim]]) -> None:
    steady, _, taken = sides
    plan = steady.plan("claim", parameters("claim", steady, taken))
    assert "ready_order" in plan
    assert "job_pkey" in plan
    assert "Tid Scan on ready" in plan


def test_claims_finishes_and_renewals_of_a_hundred_stay_quick(
    sides: tuple[Side, Side, list[Claim]],
) -> None:
    steady, _, _ = sides
    started = time.monotonic()
    taken = claim(steady.store, limit=100)
    steady.store.renew(WORKER, [held(one) for one in taken])
    steady.store.finish(WORKER, [settlement(one, "succeeded") for one in taken])
    assert time.monotonic() - started < 3 * SMALL_SECONDS


def test_mutant_without_steady_plans_statements_scan_whole_tables(
    sides: tuple[Side, Side, list[Claim]],
) -> None:
    _, shaky, taken = sides
    plans = {name: shaky.plan(name, parameters(name, shaky, taken)) for name in STATEMENTS}
    scanning = {name for name, plan in plans.items() if "Seq Scan on " in plan}
    assert scanning, plans
