"""Every verb with which people change something leaves one row in the audit record.

The walk is over the verbs that a client has: a new one has to say here what it leaves.
"""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any

import pytest

from leasehold.aio import AsyncClient
from leasehold.client import Client
from leasehold.errors import JobNotFound, WrongState
from leasehold.model.audit import Actor
from tests.web.tasks import add

if TYPE_CHECKING:
    from collections.abc import Callable

NIGHTLY = add.call(1, 2)
ANA = Actor(name="ana", via="api", address="192.0.2.7", is_certain=True)
# What changes nothing, makes jobs, or is about the client itself.
OTHERS = {
    "acting_as",
    "alerts.list",
    "alerts.mutes",
    "as_completed",
    "audit.list",
    "batches.batch",
    "batches.create",
    "batches.get",
    "batches.joined_on",
    "batches.list",
    "batches.start",
    "checkpoint",
    "close",
    "counts",
    "credentials.get",
    "credentials.list",
    "draw",
    "each",
    "enqueue",
    "enqueue_all",
    "enqueue_by_name",
    "enqueue_many",
    "find",
    "for_tenant",
    "get",
    "history",
    "key",
    "on",
    "page",
    "queues.list",
    "quotas.list",
    "retention.list",
    "retention.of",
    "reveal",
    "schedules.get",
    "schedules.list",
    "schedules.preview",
    "shares.list",
    "start",
    "stats.dead_of",
    "stats.failures",
    "stats.overview",
    "stats.series",
    "stats.totals",
    "steps",
    "throttles.list",
    "tokens.check",
    "tokens.list",
    "wait",
    "wait_all",
    "waiter.close",
    "waiter.end_of",
    "waiter.hint",
    "why",
    "workers",
    "write",
}
# These need keys, and are tried with them.
SEALED = {
    "credentials.remove",
    "credentials.set",
    "encryption.background",
    "encryption.keys",
    "encryption.reencrypt",
    "encryption.retire",
}
TRIED: dict[str, tuple[str, Callable[[Any, dict[str, Any]], Any]]] = {
    "cancel": ("job.cancel", lambda client, there: client.cancel(there["later"])),
    "retry": ("job.retry", lambda client, there: client.retry(there["cancelled"])),
    "delete": ("job.delete", lambda client, there: client.delete(there["later"])),
    "reprioritise": ("job.reprioritise", lambda client, there: client.reprioritise(there["x"], 3)),
    "forget_key": ("key.forget", lambda client, _: client.forget_key("forgotten")),
    "cancel_many": ("jobs.cancel", lambda client, _: client.cancel_many(queue="many")),
    "retry_many": ("jobs.retry", lambda client, _: client.retry_many(state="cancelled")),
    "retry_these": ("jobs.retry", lambda client, there: client.retry_these([there["cancelled"]])),
    "delete_these": ("jobs.delete", lambda client, there: client.delete_these([there["later"]])),
    "delete_many": ("jobs.delete", lambda client, _: client.delete_many(queue="many")),
    "prune": ("jobs.prune", lambda client, _: client.prune()),
    "throttles.set": ("throttle.set", lambda client, _: client.throttles.set("host", running=2)),
    "throttles.reset": ("throttle.reset", lambda client, _: client.throttles.reset("host")),
    "throttles.pause": ("throttle.pause", lambda client, _: client.throttles.pause("host")),
    "throttles.resume": ("throttle.resume", lambda client, _: client.throttles.resume("host")),
    "throttles.refill": ("throttle.refill", lambda client, _: client.throttles.refill("host:a")),
    "quotas.set": ("quota.set", lambda client, _: client.quotas.set("acme", waiting=9)),
    "quotas.remove": ("quota.remove", lambda client, _: client.quotas.remove("acme")),
    "shares.set": ("share.set", lambda client, _: client.shares.set("big", weight=3)),
    "queues.pause": ("queue.pause", lambda client, _: client.queues.pause("mail", reason="why")),
    "queues.resume": ("queue.resume", lambda client, _: client.queues.resume("mail")),
    "queues.limit": ("queue.limit", lambda client, _: client.queues.limit("mail", running=2)),
    "queues.unlimit": ("queue.unlimit", lambda client, _: client.queues.unlimit("mail")),
    "queues.drain": ("queue.pause", lambda client, _: client.queues.drain("empty", timeout="1s")),
    "queues.set": ("queue.aging", lambda client, _: client.queues.set("mail", aging="1h")),
    "schedules.set": (
        "schedule.set",
        lambda client, _: client.schedules.set("n", "@daily", NIGHTLY),
    ),
    "schedules.change": ("schedule.change", lambda c, _: c.schedules.change("s", rule="@hourly")),
    "schedules.pause": ("schedule.pause", lambda client, _: client.schedules.pause("s")),
    "schedules.resume": ("schedule.resume", lambda client, _: client.schedules.resume("paused")),
    "schedules.run_now": ("schedule.run", lambda client, _: client.schedules.run_now("s")),
    "schedules.delete": ("schedule.delete", lambda client, _: client.schedules.delete("s")),
    "retention.set": ("retention.set", lambda client, _: client.retention.set(keep="7d")),
    "retention.reset": ("retention.reset", lambda client, _: client.retention.reset()),
    "alerts.mute": ("alert.mute", lambda client, _: client.alerts.mute("depth", "1h")),
    "alerts.unmute": ("alert.unmute", lambda client, _: client.alerts.unmute("depth")),
    "batches.seal": ("batch.seal", lambda client, there: client.batches.seal(there["batch"])),
    "batches.cancel": ("batch.cancel", lambda client, there: client.batches.cancel(there["batch"])),
    "batches.retry_failed": (
        "batch.retry",
        lambda client, there: client.batches.retry_failed(there["ended"]),
    ),
    "tokens.add": ("token.add", lambda client, _: client.tokens.add("new", scope="operate")),
    "tokens.revoke": ("token.revoke", lambda client, _: client.tokens.revoke("old")),
    "audit.prune": ("audit.prune", lambda client, _: client.audit.prune(0)),
}


def verbs_of(client: Client | AsyncClient) -> list[str]:
    """Name all that can be called on a client and on its parts."""
    found = []
    for name, value in vars(client).items():
        if name[0] != "_":
            found += [f"{name}.{verb}" for verb, _ in methods(value)]
    return sorted(found + [name for name, _ in methods(client)])


def methods(value: object) -> list[tuple[str, Any]]:
    found = inspect.getmembers(type(value), inspect.isroutine)
    return [(name, each) for name, each in found if name[0] != "_"]


@pytest.fixture
def there(client: Client) -> dict[str, Any]:
    """One of each thing."""
    later = client.enqueue(add.with_options(delay="1h", queue="many"), 1, 2).id
    x = client.enqueue(add.with_options(delay="1h"), 1, 2).id
    cancelled = client.enqueue(add.with_options(delay="1h"), 1, 2).id
    client.cancel(cancelled)
    batch = client.batches.create(name="open")
    batch.add(add.with_options(delay="1h"), 1, 2)
    with client.batches.create(name="ended") as ended:
        ended.add(add.with_options(delay="1h"), 1, 2)
    client.batches.cancel(ended.id)
    client.throttles.set("host", running=1)
    client.schedules.set("s", "@daily", add.call(1, 2))
    client.schedules.set("paused", "@daily", add.call(1, 2))
    client.schedules.pause("paused")
    client.tokens.add("old")
    return {
        "later": later,
        "x": x,
        "cancelled": cancelled,
        "batch": batch.id,
        "ended": ended.id,
    }


def last_id(client: Client) -> int:
    found = client.audit.list(limit=1)
    return found[0].id if found else 0


def test_no_verb_is_forgotten(client: Client) -> None:
    assert sorted(TRIED) == [name for name in verbs_of(client) if name not in OTHERS | SEALED]


@pytest.mark.parametrize("verb", sorted(TRIED))
def test_a_verb_leaves_one_row_that_says_who_did_it(
    client: Client, there: dict[str, Any], verb: str
) -> None:
    action, call = TRIED[verb]
    before = last_id(client)
    with client.acting_as(ANA):
        call(client, there)
    (row,) = [each for each in client.audit.list() if each.id > before]
    assert (row.action, row.actor, row.via) == (action, "ana", "api")
    assert row.address == "192.0.2.7"


def test_asyncio_verbs_leave_the_same_rows(store_url: str, there: dict[str, Any]) -> None:
    async def call_all() -> list[str]:
        async with AsyncClient(store_url) as client:
            assert set(TRIED) <= set(verbs_of(client))
            seen: list[str] = []
            for verb in ("cancel", "cancel_many", "prune", "queues.pause", "batches.cancel"):
                action, call = TRIED[verb]
                with client.acting_as(ANA):
                    await call(client, there)
                rows = await client.audit.list(limit=1)
                assert (rows[0].action, rows[0].actor) == (action, "ana")
                seen.append(rows[0].action)
            return seen

    assert len(asyncio.run(call_all())) == 5


def test_what_was_refused_leaves_no_row(client: Client, there: dict[str, Any]) -> None:
    before = last_id(client)
    with pytest.raises(JobNotFound):
        client.cancel("0192f0c1-0000-7000-8000-000000000000")
    with pytest.raises(WrongState):
        client.reprioritise(there["cancelled"], 3)
    assert last_id(client) == before


def test_a_row_that_can_not_be_written_undoes_what_it_tells_of(
    client: Client, there: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_entry: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(client.store, "record", fail)
    with pytest.raises(RuntimeError):
        client.queues.pause("mail")
    with pytest.raises(RuntimeError):
        client.cancel(there["later"])
    monkeypatch.undo()
    assert client.queues.list() == []
    assert client.get(there["later"]).state == "queued"


def test_many_jobs_are_one_row_with_their_number_also_when_it_was_cut_short(
    client: Client,
) -> None:
    for _ in range(3):
        client.enqueue(add.with_options(delay="1h", tenant="acme", queue="many"), 1, 2)
    client.cancel_many(dry_run=True, queue="many")
    assert client.audit.list() == []
    client.cancel_many(tenant="acme", queue="many", by="ben")
    (row,) = client.audit.list()
    assert (row.action, row.count, row.tenant, row.actor) == ("jobs.cancel", 3, "acme", "ben")
    assert row.subject == "queue=many, tenant=acme"

    def stop(_sums: object) -> None:
        raise KeyError

    with pytest.raises(KeyError):
        client.retry_many(queue="many", progress=stop)
    row = client.audit.list()[0]
    assert (row.action, row.count) == ("jobs.retry", 3)


def test_whose_job_it_was_is_in_its_row_and_only_that_tenant_reads_it(client: Client) -> None:
    own = client.enqueue(add.with_options(tenant="acme", delay="1h"), 1, 2).id
    client.cancel(own)
    client.queues.pause("mail")
    with client.acting_as(ANA):
        client.for_tenant("acme").delete(own)
    acme, globex = client.for_tenant("acme"), client.for_tenant("globex")
    assert [each.action for each in acme.audit.list()] == ["job.delete", "job.cancel"]
    assert globex.audit.list() == []
    assert [each.tenant for each in client.audit.list()] == ["acme", "", "acme"]


def test_who_has_shown_who_they_are_can_not_say_to_be_another_one(client: Client) -> None:
    with client.acting_as(ANA):
        client.queues.pause("mail", by="somebody else")
    with client.acting_as(Actor(name="os-user", via="cli")):
        client.queues.pause("post", by="the night shift")
    mail, post = client.queues.list()
    assert (mail.paused_by, post.paused_by) == ("ana", "the night shift")
    cli, api = client.audit.list()
    assert (api.actor, api.detail) == ("ana", {})
    assert (cli.actor, cli.detail) == ("os-user", {"by": "the night shift"})


def test_filling_a_batch_by_code_is_nobodys_doing(client: Client) -> None:
    with client.batches.create() as batch:
        batch.add(add, 1, 2)
    client.enqueue(add, 1, 2)
    assert client.audit.list() == []
