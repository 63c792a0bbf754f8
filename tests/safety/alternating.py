"""Many requests of tenants in turns, over few connections: no row may ever be another tenant's.

`python -m tests.safety.alternating` runs the whole of it, 10,000 requests over 2 pooled connections
and as many through PgBouncer in transaction mode, on a server of its own; and again over HTTP, of a
real `leasehold serve`.
"""

from __future__ import annotations

import contextlib
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import leasehold as lh
from leasehold.store import open_store
from leasehold.store.postgres.connection import Pool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.store.base import Store

Verb: TypeAlias = Callable[[lh.Client, Any, str, random.Random], list[str]]

TENANTS = ("acme", "globex", "initech")
THREADS = 6
VISIBLE = "SELECT DISTINCT tenant FROM leasehold.job"
LEFT_BEHIND = "SELECT current_user::text, leasehold.tenant()"


own = lh.Throttle("own", running=2, per_tenant=True)


@lh.task(name="alternating.mark")
def mark(tenant: str) -> None:
    """Say whose jobs a tenant's job sees in its transaction."""
    job = lh.current_job()
    with job.transaction() as connection:
        rows = connection.execute(VISIBLE, prepare=False).fetchall()
        job.result = [row[0] for row in rows]


@lh.task(name="alternating.own", throttle=own.key("a.com"))
def mark_own(tenant: str) -> None:
    """Do the same, of a throttle that each tenant has for itself."""
    job = lh.current_job()
    with job.transaction() as connection:
        rows = connection.execute(VISIBLE, prepare=False).fetchall()
        job.result = [row[0] for row in rows]


@dataclass(slots=True)
class Tally:
    """What was asked, and what was seen that should not have been."""

    requests: Counter[str] = field(default_factory=Counter)
    foreign: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, verb: str, tenant: str, seen: list[str]) -> None:
        strange = [each for each in seen if each != tenant]
        with self.lock:
            self.requests[verb] += 1
            self.foreign += [f"{verb} as {tenant} saw {each}" for each in strange]


@contextlib.contextmanager
def store_on_few_connections(url: str, size: int) -> Iterator[Store]:
    """Open a store whose pool has no more connections than that."""
    store: Any = open_store(url)
    store._pool = store._source = pool = Pool(url, size)
    store._bounds._pool = pool
    store._notifier._pool = pool
    try:
        yield store
    finally:
        store.close()


def run(store: Store, count: int, *, seed: int = 1) -> Tally:
    """Ask so often, each time for another tenant, while a worker runs their jobs."""
    tally, client = Tally(), lh.Client(store=store)
    shares = [count // THREADS + (number < count % THREADS) for number in range(THREADS)]
    threads = [
        threading.Thread(target=_ask, args=(client, tally, share, random.Random(seed + number)))
        for number, share in enumerate(shares)
    ]
    with lh.Worker(client, [mark, mark_own], slots=2, poll="50ms"):
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return tally


def _ask(client: lh.Client, tally: Tally, count: int, chance: random.Random) -> None:
    tenants = {name: client.for_tenant(name) for name in TENANTS}
    known: dict[str, list[Any]] = {name: [] for name in TENANTS}
    for number in range(count):
        name = TENANTS[number % len(TENANTS)]
        verb, ask = chance.choice(VERBS)
        try:
            seen = ask(tenants[name], known, name, chance)
        except lh.LeaseholdError as error:
            seen = [] if isinstance(error, EXPECTED) else [repr(error)]
        tally.note(verb, name, seen)


EXPECTED = (lh.JobNotFound, lh.IdConflict, lh.WrongState, lh.ForeignTenant, lh.BatchNotFound)


def _enqueue(client: lh.Client, known: Any, name: str, chance: random.Random) -> list[str]:
    known[name].append(client.enqueue(mark, name).id)
    return []


def _enqueue_keyed(client: lh.Client, known: Any, name: str, chance: random.Random) -> list[str]:
    keyed = mark.with_options(key=f"k{chance.randrange(20)}", delay="1h")
    known[name].append(client.enqueue(keyed, name).id)
    return []


def _enqueue_many(client: lh.Client, known: Any, name: str, chance: random.Random) -> list[str]:
    known[name] += [each.id for each in client.enqueue_all([mark.call(name)] * 3)]
    return []


def _get(client: lh.Client, known: Any, name: str, chance: random.Random) -> list[str]:
    """Half of the time ask for another tenant's job, which must not be there."""
    whose = chance.choice(TENANTS)
    if not known[whose]:
        return []
    job = client.get(chance.choice(known[whose]))
    return [job.tenant, str(job.args["tenant"])]


def _find(client: lh.Client, known: Any, name: str, chance: random.Random) -> list[str]:
    return [job.tenant for job in client.find(limit=chance.randrange(1, 30))]


def _results(client: lh.Client, known: Any, name: str, chance: random.Random) -> list[str]:
    """What a job saw in its own transaction, too."""
    done = client.find(state="succeeded", limit=10)
    return [seen for job in done for seen in (job.tenant, *(job.result or []))]


def _clash(client: lh.Client, known: Any, name: str, chance: random.Random) -> list[str]:
    """An error in the middle of a transaction must not leave it behind."""
    whose = chance.choice([each for each in TENANTS if each != name])
    if known[whose]:
        client.enqueue(mark.with_options(id=chance.choice(known[whose])), name)
        return ["an id of another tenant was taken"]
    return []


def _cancel(client: lh.Client, known: Any, name: str, chance: random.Random) -> list[str]:
    whose = chance.choice(TENANTS)
    if not known[whose]:
        return []
    client.cancel(chance.choice(known[whose]))
    return [whose]


def _batch(client: lh.Client, known: Any, name: str, chance: random.Random) -> list[str]:
    with client.batches.create(name=name) as batch:
        known[name].append(batch.add(mark, name).id)
    return [each.tenant for each in client.batches.list(limit=5)]


def _history(client: lh.Client, known: Any, name: str, chance: random.Random) -> list[str]:
    mine = known[name]
    return [] if not mine or client.history(chance.choice(mine)) is not None else [name]


def _key(client: lh.Client, known: Any, name: str, chance: random.Random) -> list[str]:
    found = client.key(f"k{chance.randrange(20)}")
    return [] if found is None else [found.tenant]


def _throttles(client: lh.Client, known: Any, name: str, chance: random.Random) -> list[str]:
    """Its own, which it pauses and lets go on; a pause says whose it is."""
    known[name].append(client.enqueue(mark_own, name).id)
    if chance.random() < 0.5:
        client.throttles.pause("@own:a.com", until="10ms", reason=name)
    found = client.throttles.list()
    return [text for each in found for text in (each.tenant, each.pause_reason) if text]


def _whole(client: lh.Client, known: Any, name: str, chance: random.Random) -> list[str]:
    """A connection that comes back from a tenant is nobody's."""
    store: Any = client.store._open()  # type: ignore[attr-defined]
    with store._pool.connection() as connection:
        user, tenant = connection.execute(LEFT_BEHIND, prepare=False).fetchone()
    is_clean = tenant is None and not user.endswith("_app")
    return [] if is_clean else [f"a connection left behind as {user} {tenant}"]


VERBS: list[tuple[str, Verb]] = [
    *[("get", _get)] * 4,
    *[("find", _find)] * 3,
    *[("enqueue", _enqueue)] * 3,
    *[("whole", _whole)] * 2,
    ("enqueue_keyed", _enqueue_keyed),
    ("enqueue_many", _enqueue_many),
    ("results", _results),
    ("clash", _clash),
    ("cancel", _cancel),
    ("batch", _batch),
    ("history", _history),
    ("key", _key),
    ("throttles", _throttles),
]


def main() -> None:
    """Run the campaign and print its figures."""
    import time

    from tests.pooler import pooler_before
    from tests.postgres_server import PostgresServer
    from tests.safety.alternating_http import run_over_http, serving
    from tests.safety.roles import database_with_roles

    with PostgresServer() as server:
        for way in ("2 pooled connections", "PgBouncer with 2 connections"):
            for service in ("", ", over HTTP"):
                with contextlib.ExitStack() as stack:
                    access = stack.enter_context(database_with_roles(server))
                    url, size = access.worker, 2
                    if way.startswith("PgBouncer"):
                        url, size = stack.enter_context(pooler_before(url, pool_size=2)), 10
                    began = time.monotonic()
                    if service:
                        tally = run_over_http(*stack.enter_context(serving(url, size)), 10_000)
                    else:
                        store = stack.enter_context(store_on_few_connections(url, size))
                        tally = run(store, 10_000)
                    took = time.monotonic() - began
                print(
                    f"{way}{service}: {sum(tally.requests.values()):,} requests in {took:.0f} s, "
                    f"{len(tally.foreign)} foreign rows; {dict(sorted(tally.requests.items()))}",
                    flush=True,
                )
                for each in tally.foreign[:10]:
                    print("  ", each)


if __name__ == "__main__":
    main()
