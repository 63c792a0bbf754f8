"""Every operation of a store, tried by a tenant on all that another one has, sees and does nothing.

The walk is over the contract itself: an operation that nobody has thought of fails it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from leasehold.errors import (
    BatchNotFound,
    ForeignTenant,
    IdConflict,
    JobNotFound,
    NotForTenants,
)
from leasehold.model.audit import AuditFilter, Entry
from leasehold.model.batches import BatchFilter, NewBatch
from leasehold.model.lanes import Pause, RuleChange, own_lane
from leasehold.model.needs import Needs
from leasehold.model.schedules import Firing
from leasehold.model.values import Filter
from leasehold.store.base import Store
from leasehold.store.tenants.refusing import NotForTenantsStore
from leasehold.store.tenants.store import TenantStore
from tests.conformance.kit import HOST, RULE, new_id, new_job
from tests.conformance.test_schedules import wanted
from tests.safety.scene import ACME, EACH, GLOBEX, KEY, NAME, SECRET, SITE, Scene, belongings

if TYPE_CHECKING:
    from leasehold.model.ids import JobId

Try = Callable[[TenantStore, Scene], Any]
OPERATIONS = sorted(
    name for name, value in inspect.getmembers(Store) if callable(value) and name[0] != "_"
)
REFUSED = sorted(name for name in vars(NotForTenantsStore) if name[0] != "_")


def each(name: str, **given: Any) -> Try:
    """Try an operation on each of the other tenant's jobs."""
    return lambda store, scene: [getattr(store, name)(job, **given) for job in scene.jobs]


def together(name: str, **given: Any) -> Try:
    """Try an operation on all of the other tenant's jobs at once."""
    return lambda store, scene: getattr(store, name)(scene.jobs, **given)


def on_batch(name: str, **given: Any) -> Try:
    return lambda store, scene: getattr(store, name)(scene.batch, **given)


def on_batches(name: str, **given: Any) -> Try:
    return lambda store, scene: getattr(store, name)([scene.batch], **given)


def listing(name: str, where: Any, **given: Any) -> Try:
    return lambda store, _: getattr(store, name)(where, before=None, limit=100, **given)


def named(name: str, **given: Any) -> Try:
    return lambda store, _: getattr(store, name)(NAME, **given)


def enqueue_again(store: TenantStore, scene: Scene) -> None:
    """Each id of the other tenant is a conflict, whatever else is the same."""
    for job in scene.jobs:
        with pytest.raises(IdConflict):
            store.enqueue([new_job(id=job)])
        with pytest.raises(JobNotFound):
            store.enqueue([new_job(needs=Needs(jobs=(job,)))])
    with pytest.raises(BatchNotFound):
        store.enqueue([new_job(batch=scene.batch)])
    with pytest.raises(ForeignTenant):
        store.enqueue([new_job(tenant=GLOBEX)])


def begin_again(store: TenantStore, scene: Scene) -> None:
    with pytest.raises(IdConflict):
        store.begin_enqueue([new_job(id=scene.waiting)])()


def script_again(store: TenantStore, scene: Scene) -> None:
    with pytest.raises(ForeignTenant):
        next(store.enqueue_script([new_job(tenant=GLOBEX)]))


def make_batch_again(store: TenantStore, scene: Scene) -> None:
    with pytest.raises(IdConflict):
        store.create_batch(NewBatch(id=scene.batch))
    with pytest.raises(BatchNotFound):
        store.create_batch(NewBatch(id=new_id(), parent=scene.batch))
    with pytest.raises(ForeignTenant):
        store.create_batch(NewBatch(id=new_id(), tenant=GLOBEX))


def start_batch_again(store: TenantStore, scene: Scene) -> None:
    with pytest.raises(IdConflict):
        store.start_batch(NewBatch(id=scene.batch), [new_job(batch=scene.batch)])


def put_schedule(store: TenantStore, scene: Scene) -> None:
    said: dict[str, Any] = {"next_at": None, "by": None, "seen": None}
    with pytest.raises(ForeignTenant):
        store.put_schedule(wanted(job={"tenant": GLOBEX}), **said)
    with pytest.raises(JobNotFound):
        store.put_schedule(wanted(job={"needs": Needs(jobs=(scene.done,))}), **said)
    assert store.put_schedule(wanted(name=NAME), **said)  # one of its own, of the same name


def put_credential(store: TenantStore, _scene: Scene) -> None:
    with pytest.raises(ForeignTenant):
        store.put_credential(NAME, "x", tenant=GLOBEX, by=None)
    store.put_credential(NAME, "x", tenant="", by=None)  # one of its own, of the same name


def fire(store: TenantStore, _scene: Scene) -> None:
    seen: dict[str, Any] = {"name": NAME, "version": 1, "next_at": None, "following": None}
    with pytest.raises(NotForTenants):
        store.fire(Firing(tenant="", jobs=[], **seen))
    with pytest.raises(ForeignTenant):
        store.fire(Firing(tenant=GLOBEX, jobs=[], is_by_hand=True, **seen))


def on_throttle(name: str, *given: Any) -> Try:
    """Try it on another tenant's own throttle, on the rule and on one that all share."""

    def attempt(store: TenantStore, _scene: Scene) -> None:
        ask = getattr(store, name)
        for lane in (own_lane(EACH, GLOBEX), own_lane(SITE, GLOBEX)):
            with pytest.raises(ForeignTenant):
                ask(lane, *given)
        for lane in (EACH, SITE, RULE, HOST):
            with pytest.raises(NotForTenants):
                ask(lane, *given)
        for lane in (own_lane(EACH, ""), own_lane(EACH, f"{ACME}:x")):
            with pytest.raises(ForeignTenant):
                ask(lane, *given)
        with pytest.raises(ForeignTenant):
            ask(own_lane(SITE, ACME), *given, tenant=GLOBEX)

    return attempt


def get_together(store: TenantStore, scene: Scene) -> list[Any]:
    with store.together():
        return [store.get(job) for job in scene.jobs]


def drain(script: Any) -> Any:
    """Answer each statement of a script with all that the other tenant has."""
    return list(script)


TRIED: dict[str, Try] = {
    "as_tenant": lambda store, _: store.as_tenant(GLOBEX),
    "schema": lambda store, _: store.schema(),
    "check_schema": lambda store, _: store.check_schema(),
    "check_role": lambda store, _: store.check_role(),
    "close": lambda store, _: store.close(),
    "now": lambda store, _: store.now(),
    "moment": lambda store, _: store.moment(),
    "notify": lambda store, _: store.notify({"default": 1}),
    # -- jobs
    "enqueue": enqueue_again,
    "begin_enqueue": begin_again,
    "enqueue_script": script_again,
    "owners": together("owners"),
    "owners_script": lambda store, _: store.owners_script([]).close(),
    "get": each("get"),
    "find": listing("find", Filter()),
    "find_ids": listing("find_ids", Filter()),
    "floor": lambda store, _: store.floor(Filter(), before=None, count=1),
    "history": each("history"),
    "facts": each("facts"),
    "counts": lambda store, _: store.counts(),
    "ended": together("ended"),
    "checkpoint": each("checkpoint"),
    "steps": each("steps"),
    "predecessors": each("predecessors"),
    "dependents": each("dependents"),
    "cancel": each("cancel", by="acme"),
    "retry": each("retry"),
    "delete": each("delete"),
    "reprioritise": each("reprioritise", priority=9),
    "cancel_many": together("cancel_many", by="acme"),
    "retry_many": together("retry_many"),
    "delete_many": together("delete_many"),
    "key": lambda store, _: store.key(KEY, tenant=""),
    "forget_key": lambda store, _: store.forget_key(KEY, tenant=""),
    # -- what was done
    "together": get_together,
    "record": lambda store, _: store.record(Entry(actor="a", via="cli", action="b")),
    "audit": listing("audit", AuditFilter()),
    # -- batches
    "batch_owners": on_batches("batch_owners"),
    "create_batch": make_batch_again,
    "start_batch": start_batch_again,
    "get_batch": on_batch("get_batch"),
    "find_batches": listing("find_batches", BatchFilter()),
    "seal_batch": on_batch("seal_batch"),
    "cancel_batch": on_batch("cancel_batch", by="acme"),
    "reopen_batch": on_batch("reopen_batch"),
    "live_members": on_batches("live_members", limit=100),
    "follow_up": together("follow_up"),
    "follow_batches": on_batches("follow_batches"),
    # -- schedules
    "schedules": lambda store, _: store.schedules(),
    "schedule": named("schedule", tenant=""),
    "put_schedule": put_schedule,
    "pause_schedule": named("pause_schedule", tenant="", by="acme"),
    "resume_schedule": lambda store, scene: store.resume_schedule(scene.schedule, next_at=None),
    "delete_schedule": named("delete_schedule", tenant=""),
    "fire": fire,
    # -- throttles of its own
    "throttles": lambda store, _: store.throttles(),
    "change_throttle": on_throttle("change_throttle", RuleChange(running=0, by="acme")),
    "reset_throttle": on_throttle("reset_throttle"),
    "pause_throttle": on_throttle("pause_throttle", Pause(by="acme")),
    "resume_throttle": on_throttle("resume_throttle"),
    # -- credentials
    "credentials": lambda store, _: store.credentials(),
    "credential": named("credential", tenant=""),
    "put_credential": put_credential,
    "delete_credential": named("delete_credential", tenant=""),
}


def test_no_operation_of_a_store_is_forgotten() -> None:
    assert sorted([*REFUSED, *TRIED]) == OPERATIONS


@pytest.mark.parametrize("name", REFUSED)
def test_what_concerns_all_tenants_is_refused(name: str) -> None:
    store = TenantStore(_no_store, "acme")
    with pytest.raises(NotForTenants, match=name):
        getattr(store, name)()


def _no_store() -> Store:
    raise AssertionError("a refused operation must not touch the store")


def answer_of(attempt: Try, acme: TenantStore, scene: Scene) -> str:
    """Say all that a tenant learns from an attempt; only two errors are meant to come of one."""
    try:
        return repr(attempt(acme, scene))
    except (ForeignTenant, NotForTenants) as error:
        return str(error)


@pytest.mark.timeout(120)
def test_a_tenant_sees_and_changes_nothing_of_another_ones(
    store: Store, acme: TenantStore, scene: Scene
) -> None:
    before = belongings(store, scene)
    for name, attempt in TRIED.items():
        shown = answer_of(attempt, acme, scene)
        assert SECRET not in shown, name
        ids = [*scene.jobs, scene.batch]
        if name != "ended":  # which repeats what was asked for
            assert not any(str(each_id) in shown for each_id in ids), name
        assert belongings(store, scene) == before, name


@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(lambda store: store.find(Filter(tenant=GLOBEX), before=None, limit=1), id="f"),
        pytest.param(lambda store: store.counts(tenant=GLOBEX), id="counts"),
        pytest.param(lambda store: store.key(KEY, tenant=GLOBEX), id="key"),
        pytest.param(lambda store: store.schedules(tenant=GLOBEX), id="schedules"),
        pytest.param(lambda store: store.throttles(tenant=GLOBEX), id="throttles"),
        pytest.param(lambda store: store.pause_schedule(NAME, tenant=GLOBEX, by=None), id="pause"),
    ],
)
def test_asking_for_another_tenant_is_refused(acme: TenantStore, ask: Any) -> None:
    with pytest.raises(ForeignTenant, match="acts for tenant 'acme', not for 'globex'"):
        ask(acme)


def test_a_foreign_job_is_the_same_as_none(acme: TenantStore, scene: Scene) -> None:
    nowhere: JobId = new_id()
    for name in ("get", "history", "facts", "checkpoint", "steps", "predecessors", "retry"):
        ask = getattr(acme, name)
        assert {repr(ask(job)) for job in scene.jobs} == {repr(ask(nowhere))}, name
