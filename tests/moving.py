"""A queue with some of everything in it, and what must be the same of it after a move."""

from __future__ import annotations

import os
import random
import time
from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.model.ids import WorkerId, uuid7
from leasehold.model.keeping import Keep, Scope
from leasehold.model.keys import Unique
from leasehold.model.lanes import Ask, Look, Pause, Rule
from leasehold.model.moving import Loaded
from leasehold.model.values import NewJob, Settlement, TaskPolicy, Want, WorkerInfo
from leasehold.store.moving_tables import BY_NAME, TABLES, Kind
from tests.conformance.tables import LIVE, PostgresTables

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.model.ids import JobId
    from leasehold.model.values import Claim
    from leasehold.store.base import Store
    from leasehold.store.moving_tables import Row, Table
    from tests.conformance.tables import Tables

KIND, STRANGE = "mixed", "strange"
WORKER = WorkerId(2**62 + 7)
CHUNK = 500
NASTY = ["", "plain", "ä€😀", 'it\'s "quoted"', "a\tb\nc\\", "%s {0} :x", "\u2028", "x" * 3000]


def fill(store: Store, jobs: int, seed: int = 7) -> None:
    """Write so many jobs, by the store's own operations, into all states, and all else around."""
    chance = random.Random(seed)
    _say(store)
    for start in range(0, jobs, CHUNK):
        store.enqueue([_job(chance) for _ in range(min(CHUNK, jobs - start))])
    store.claim(WORKER, [Want("strangers", jobs)], limit=jobs, leases={"other": 60.0})
    _work(store, chance, jobs // 3)
    _run_lanes(store, jobs // 20)
    _stand_around(store, chance, max(20, jobs // 20))


def _say(store: Store) -> None:
    """Say what can be said of throttles, queues, shares, retention and tasks."""
    info = WorkerInfo(id=WORKER, name="w", queues=("a",), kinds=(KIND,), slots=1, version="1")
    policy = TaskPolicy(
        kind="declared",
        queue="a",
        priority=3,
        max_attempts=4,
        timeout_seconds=0.1,
        dies_on_lapse=True,
        throttle="host",
        throttle_by=("host", "it's"),
        share_by=(),
        cost=0.3,
        keep_seconds=1e99,
    )
    store.register(
        info, [policy], [Rule(name="host", running=2), Rule(name="api", rate=0.1, burst=3.0)]
    )
    store.farewell(WORKER)
    store.pause_queue("b", Pause(reason="it's down", by="ada"))
    store.set_aging("a", aging_seconds=0.7)
    store.pause_throttle("host:h7", Pause(seconds=3600.5, reason=None))
    store.change_share("s1", weight=7, by="bob")
    store.set_retention(Scope.QUEUE, "a", Keep(succeeded=1e99, dead=3.25), by="ada")


def _job(chance: random.Random) -> NewJob:
    number = chance.randrange(10**9)
    kind = chance.random()
    args = msgspec.Raw(
        msgspec.json.encode({"n": number, "f": chance.random(), "t": chance.choice(NASTY)})
    )
    options: dict[str, Any] = {"queue": chance.choice("abc"), "priority": chance.randint(-9, 9)}
    if kind < 0.15:
        options |= {"delay_seconds": chance.random() * 1e6}
    elif kind < 0.3:
        options |= {"lane": f"host:h{number % 50}", "share": chance.choice([None, "s1", "s2"])}
    elif kind < 0.35:
        options |= {"lane": "", "share": chance.choice(["s1", "ünï"]), "cost": 0.1}
    elif kind < 0.4:
        options |= {"lane": "api", "cost": 0.25}
    elif kind < 0.45:
        options |= {"queue": "strangers", "kind": STRANGE}
    elif kind < 0.6:
        options |= {"unique": Unique(key=f"key {number}", ever=number % 2 == 0)}
    elif kind < 0.65:
        options |= {"tenant": "tenant's", "created_by": "ädä", "timeout_seconds": 0.1}
    return NewJob(id=_new_id(), args=args, **({"kind": KIND} | options))


def _new_id() -> JobId:
    return uuid7(time.time_ns() // 1_000_000, os.urandom(10))


def _work(store: Store, chance: random.Random, many: int) -> None:
    """Let some jobs end in each way, and leave some running."""
    done = 0
    while done < many:
        wants = [Want("a", CHUNK), Want("c", CHUNK)]
        claims = store.claim(WORKER, wants, limit=min(CHUNK, many - done), leases={KIND: 60.0})
        if not claims:
            return
        done += len(claims)
        running = claims[: len(claims) // 10]
        for each in running[: len(running) // 2]:
            store.cancel(each.job_id, by="ada")
        store.finish(WORKER, [_end(each, chance) for each in claims[len(running) :]])


def _end(claim: Claim, chance: random.Random) -> Settlement:
    outcome = chance.choice(
        ["succeeded"] * 4 + ["dead", "failed", "snoozed", "released", "cancelled"]
    )
    result = {
        "b": [1.0, 1e5, -0.5, None, True],
        "a": chance.choice(NASTY),
        "n": chance.randrange(10**15),
    }
    return Settlement(
        job_id=claim.job_id,
        fence=claim.fence,
        outcome=outcome,
        result=msgspec.Raw(msgspec.json.encode(result)) if outcome == "succeeded" else None,
        error=None if outcome == "succeeded" else chance.choice(NASTY) or "?",
        traceback="Traceback\n  it's\n" if outcome == "dead" else None,
        delay_seconds=chance.random() * 1e5 if outcome in {"failed", "snoozed"} else None,
        is_counted=outcome in {"failed", "dead"},
        elapsed_seconds=chance.random(),
    )


def _run_lanes(store: Store, many: int) -> None:
    seen = store.look_lanes(WORKER, [Look("a"), Look("c")], parties=64, page=50, after={})
    asks = [Ask(lane.place, 2) for lane in seen if lane.room > 0]
    taken = store.claim_lanes(WORKER, asks, limit=many, leases={KIND: 60.0}).claims
    half = taken[: len(taken) // 2]
    store.finish(
        WORKER, [Settlement(job_id=each.job_id, fence=each.fence, spent=1.5) for each in half]
    )


def _stand_around(store: Store, chance: random.Random, many: int) -> None:
    """Write rows of the other tables, of which jobs here need not know."""
    for name in ("batch", "schedule", "checkpoint", "step", "dependency", "dependent", "callback"):
        store.load(name, random_rows(name, many, chance), Loaded(is_over=True))
    store.open_after_move()  # forgets what load wrote down of itself


# -- rows of any kind ------------------------------------------------------------------------------
_CHECKED: dict[tuple[str, str], Callable[[random.Random], Any]] = {
    ("share", "weight"): lambda chance: chance.randint(1, 1000),
    ("retention", "scope"): lambda chance: chance.choice(["queue", "task"]),
    ("outcome", "state"): lambda chance: chance.choice(["succeeded", "dead", "lapsed"]),
    ("job", "lane"): lambda chance: chance.choice([None, "", "host:ä"]),
    ("job", "share"): lambda chance: chance.choice([None, "s"]),
    ("job", "queue"): lambda chance: chance.choice(["a", "it's"]),
    ("job", "kind"): lambda _: "k",
    ("throttle", "burst"): lambda _: 5.0,
    ("throttle", "rate"): lambda _: 0.1,
    ("quota", "burst"): lambda _: 5.0,
    ("quota", "rate"): lambda _: 0.1,
}
_MAY_BE_NULL = {  # as both schemas have it; the others are never
    *("key", "lane", "batch", "created_by", "run_at", "share", "cost", "on_end", "needs"),
    *("fence", "worker", "started_at", "result", "error", "traceback", "done", "total", "note"),
    *("cursor", "next", "succeeded_at", "parent", "on_failure", "sealed_at", "failed_at"),
    *("cancelled_at", "cancelled_by", "ended_at", "next_at", "last_slot", "last_fired_at"),
    *("last_job", "paused_at", "paused_by", "set_by", "throttle_by", "share_by", "paused_until"),
    *("pause_reason", "aging_seconds", "succeeded_seconds", "dead_seconds", "cancelled_seconds"),
}
_NEVER_NULL = {("waiting", "lane"), ("waiting", "share"), ("scheduled", "run_at")}
_VALUES: dict[Kind, Callable[[random.Random], Any]] = {
    Kind.ID: lambda _: str(_new_id()),
    Kind.TEXT: lambda chance: f"{chance.choice(NASTY)}{chance.randrange(10**12)}",
    Kind.INTEGER: lambda chance: chance.randint(0, 30_000),
    Kind.REAL: lambda chance: chance.choice([0.1, 1e99, 3.0, chance.random() * 1e6]),
    Kind.SINGLE: lambda chance: chance.choice([0.1, 3600.0, chance.random() * 100]),
    Kind.FLAG: lambda chance: chance.randint(0, 1),
    Kind.TIME: lambda chance: chance.choice(
        [chance.randrange(2 * 10**15), 253402300799999999, 10**16 + 1, 0]
    ),
    Kind.JSON: lambda chance: chance.choice(
        ['{"b":1.0,  "a":"\\u00e4"}', "[1e5]", "null", '"it\'s"']
    ),
    Kind.DOCUMENT: lambda chance: chance.choice(
        ['{"b":1.0,"a":1e5,"b":2}', "[0.10, -1E-3]", "null", '"\\u00e4 {"', "12345678901234567890"]
    ),
    Kind.NAMES: lambda chance: chance.choice(["[]", '["a", "it\'s \\"x\\"", "ä,{}"]']),
    Kind.STATE: lambda _: "succeeded",
}


def random_rows(table: str, many: int, chance: random.Random) -> list[Row]:
    """Make rows with all that a column may hold."""
    shape = BY_NAME[table]
    rows = []
    for _ in range(many):
        row = []
        for name, kind in shape.columns.items():
            make = _CHECKED.get((table, name))
            is_null = name in _MAY_BE_NULL and name not in shape.key and chance.random() < 0.3
            if make is not None:
                row.append(make(chance))
            else:
                is_free = is_null and (table, name) not in _NEVER_NULL
                row.append(None if is_free else _VALUES[kind](chance))
        rows.append(tuple(row))
    return rows


# -- what must be the same -------------------------------------------------------------------------
def ids_by_table(tables: Tables) -> dict[str, list[str]]:
    """List the keys of all rows, read without the mover's help; leases count as where they go."""
    prefix = "leasehold." if isinstance(tables, PostgresTables) else "leasehold_"
    found = {
        table.name: sorted(
            "|".join(map(str, row.values())) for row in tables.execute(_keys_of(prefix, table))
        )
        for table in TABLES
        if table.name != "charge"
    }
    found["live"] = sorted(str(row["job_id"]) for name in LIVE for row in tables.rows(name))
    return found


def _keys_of(prefix: str, table: Table) -> str:
    return f"SELECT {', '.join(table.key)} FROM {prefix}{table.name}"  # noqa: S608 - our names


def everything(store: Store, job_ids: list[JobId]) -> list[Any]:
    """Read jobs as people see them, but for workers, who have no names any more."""
    seen: list[Any] = []
    for job_id in job_ids:
        job = store.get(job_id)
        history = [
            msgspec.structs.replace(attempt, worker_name=None) for attempt in store.history(job_id)
        ]
        seen.append((job, history))
    return seen
