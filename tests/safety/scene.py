"""All that one tenant can have, each with a word in it that no other tenant may ever see."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from leasehold.model.batches import BatchFilter
from leasehold.model.keys import Unique
from leasehold.model.lanes import Pause, Rule, RuleChange, own_lane
from leasehold.model.needs import Needs
from leasehold.model.saving import Save
from leasehold.model.schedules import read_schedule
from leasehold.model.values import Filter
from leasehold.scheduling import NO_ID
from tests.conformance.kit import (
    HOST,
    RULE,
    WORKER,
    declare,
    enqueue_one,
    make_batch,
    new_job,
    raw,
    settle,
    start_one,
)

if TYPE_CHECKING:
    from leasehold.model.ids import JobId
    from leasehold.model.schedules import ScheduleInfo
    from leasehold.store.base import Store

ACME, GLOBEX = "acme", "globex"
SECRET = "canary-7f3a"
KEY, NAME = "order-1", "nightly"
EACH, SITE = "@site", "@site:a.com"  # a throttle that each tenant has for itself, and a key of it
SECRET_ARGS = raw({"name": SECRET})


@dataclass(frozen=True, slots=True)
class Scene:
    """What the tenant globex has: a job in each kind of place, a batch, a key and a schedule."""

    waiting: JobId
    later: JobId
    throttled: JobId
    running: JobId
    dead: JobId
    done: JobId
    needing: JobId
    member: JobId
    batch: JobId
    schedule: ScheduleInfo

    @property
    def jobs(self) -> list[JobId]:
        return [
            *(self.waiting, self.later, self.throttled, self.running, self.dead, self.done),
            *(self.needing, self.member),
        ]


def build(store: Store) -> Scene:
    """Fill a store; the next claim of the queue `default` finds nothing."""
    declare(store, Rule(name=RULE, running=1), Rule(name=EACH, running=1))
    lane = own_lane(SITE, GLOBEX)
    store.change_throttle(lane, RuleChange(running=7, by=SECRET))
    store.change_throttle(lane, RuleChange(running=1, by=SECRET), tenant=GLOBEX)
    store.pause_throttle(own_lane(EACH, GLOBEX), Pause(reason=SECRET, by=SECRET), tenant=GLOBEX)
    own: dict[str, Any] = {"tenant": GLOBEX, "args": SECRET_ARGS}
    done = start_one(store, unique=Unique(key=KEY, ever=True), **own)
    settle(store, done, "succeeded", result=raw(SECRET))
    dead = start_one(store, **own)
    settle(store, dead, "dead", error=SECRET, traceback=SECRET, is_counted=True)
    running = start_one(store, lane=HOST, **own)
    store.save(WORKER, [_saved(running.job_id, running.fence)])
    batch = make_batch(store, tenant=GLOBEX, name=SECRET, meta=SECRET_ARGS)
    member = enqueue_one(store, batch=batch, queue="batched", **own)
    return Scene(
        waiting=enqueue_one(store, queue="waiting", created_by=SECRET, **own),
        later=enqueue_one(store, delay_seconds=3600, **own),
        throttled=enqueue_one(store, lane=HOST, queue="laned", **own),
        running=running.job_id,
        dead=dead.job_id,
        done=done.job_id,
        needing=enqueue_one(store, needs=Needs(jobs=(running.job_id,)), **own),
        member=member,
        batch=batch,
        schedule=_schedule(store),
    )


def _schedule(store: Store) -> ScheduleInfo:
    job = new_job(id=NO_ID, tenant=GLOBEX, args=SECRET_ARGS)
    slot = datetime(2030, 1, 1, tzinfo=UTC)
    wanted = read_schedule(NAME, "@daily", job)
    assert store.put_schedule(wanted, next_at=slot, by=SECRET, seen=None)
    store.put_credential(NAME, SECRET, tenant=GLOBEX, by=SECRET)
    (made,) = store.schedules(tenant=GLOBEX)
    return made


def _saved(job_id: JobId, fence: Any) -> Save:
    return Save(job_id=job_id, fence=fence, cursor=f'"{SECRET}"', note=SECRET, step=SECRET)


def belongings(store: Store, scene: Scene) -> list[Any]:
    """Read all that globex has, by the whole store: equal lists mean that nothing was changed."""
    return [
        store.find(Filter(tenant=GLOBEX), before=None, limit=100),
        [store.history(each) for each in scene.jobs],
        [store.checkpoint(each) for each in scene.jobs],
        [store.steps(each) for each in scene.jobs],
        store.find_batches(BatchFilter(tenant=GLOBEX), before=None, limit=100),
        store.key(KEY, tenant=GLOBEX),
        store.schedules(tenant=GLOBEX),
        store.credential(NAME, tenant=GLOBEX),
        store.credentials(tenant=GLOBEX),
        store.throttles(tenant=GLOBEX),
        store.throttles(),
    ]
