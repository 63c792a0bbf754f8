"""Schedules as code declares them and as people set them at run time, blocking and awaited."""

from __future__ import annotations

import asyncio
import inspect
from datetime import UTC, datetime, timedelta
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.async_schedules import AsyncSchedules
from leasehold.errors import BadArguments, BadOption, ScheduleNotFound, StoreBusy
from leasehold.schedules import Schedules, declare
from leasehold.worker.settings import read_settings
from tests.api.tasks import greet, mail
from tests.worker.kit import ChangedStore

if TYPE_CHECKING:
    from leasehold.model.schedules import ScheduleInfo

SOON = timedelta(hours=1, minutes=1)


def nightly(rule: str = "0 3 * * *", name: str = "Ada", **timing: Any) -> lh.Schedule:
    return lh.schedule("nightly", rule, greet.call(name), **timing)


def get(client: lh.Client) -> ScheduleInfo:
    return client.schedules.get("nightly")


# -- at run time ----------------------------------------------------------------------------------
def test_a_schedule_is_made_with_its_next_slot(client: lh.Client) -> None:
    made = client.schedules.set(
        "nightly", "0 3 * * *", greet.call("Ada", times=2), zone="Europe/Berlin", by="ada"
    )
    assert made == get(client)
    assert (made.kind, made.job["args"]) == ("greet", {"name": "Ada", "times": 2})
    assert (made.set_by, made.last_slot, made.last_job) == ("ada", None, None)
    assert made.next_at == client.schedules.preview("nightly", 1)[0]
    assert made.next_at > client.store.now()


def test_a_tasks_options_are_those_of_its_jobs(client: lh.Client) -> None:
    client.schedules.set("mail", "@daily", mail.with_options(tenant="acme", priority=9).call("a@b"))
    found = client.schedules.get("mail", tenant="acme")
    job = client.get(client.schedules.run_now("mail", tenant="acme"))
    assert (job.queue, job.priority, job.max_attempts, job.tenant) == ("mail", 9, 2, "acme")
    assert (job.created_by, found.tenant) == ("schedule mail", "acme")


def test_a_task_without_arguments_needs_no_call(client: lh.Client) -> None:
    with pytest.raises(BadArguments, match="name"):
        client.schedules.set("nightly", "@daily", greet)
    with pytest.raises(BadOption, match="neither a task"):
        client.schedules.set("nightly", "@daily", print)  # type: ignore[arg-type] # wrong on purpose
    assert client.schedules.list() == []


def test_a_name_will_do_where_the_handlers_code_is_not_there(client: lh.Client) -> None:
    client.schedules.set("nightly", "@daily", "greet", {"name": "Ada"}, options={"queue": "slow"})
    job = client.get(client.schedules.run_now("nightly"))
    assert (job.kind, job.args, job.queue) == ("greet", {"name": "Ada"}, "slow")


@pytest.mark.parametrize(
    "given",
    [
        {"work": greet.call("Ada"), "args": {"name": "Bob"}},
        {"work": greet.call("Ada"), "options": {"queue": "slow"}},
        {"work": greet.with_options(id="0190b0f0-0000-7000-8000-000000000000").call("Ada")},
        {"work": "greet", "options": {"id": "0190b0f0-0000-7000-8000-000000000000"}},
        {"work": greet.with_options(run_at=datetime(2030, 1, 1, tzinfo=UTC)).call("Ada")},
        {"work": greet.call("Ada"), "rule": "now and then"},
        {"work": greet.call("Ada"), "zone": "Nowhere"},
        {"work": greet.call("Ada"), "name": ""},
    ],
)
def test_what_makes_no_sense_is_refused(client: lh.Client, given: dict[str, Any]) -> None:
    with pytest.raises(BadOption):
        client.schedules.set(**{"name": "nightly", "rule": "@daily"} | given)
    assert client.schedules.list() == []


def test_another_rule_has_another_next_slot_and_other_arguments_do_not(client: lh.Client) -> None:
    first = client.schedules.set("nightly", "@hourly", greet.call("Ada"))
    client.store.skew_seconds = SOON.total_seconds()
    other = client.schedules.set("nightly", "@hourly", greet.call("Bob"))
    assert other.next_at == first.next_at, "its slot is due and stays so"
    changed = client.schedules.set("nightly", "@daily", greet.call("Bob"))
    assert changed.next_at == client.schedules.preview("nightly", 1)[0]
    assert (changed.version, changed.created_at) == (3, first.created_at)


def test_a_change_names_what_changes_and_the_rest_stays(client: lh.Client) -> None:
    first = client.schedules.set("nightly", "@daily", greet.call("Ada"), zone="Asia/Tokyo")
    changed = client.schedules.change("nightly", rule="every 90s", missed="none", by="grace")
    assert (changed.rule, changed.missed, changed.set_by) == ("every 90s", "none", "grace")
    assert (changed.zone, changed.job) == (first.zone, first.job)
    assert changed.next_at == client.schedules.preview("nightly", 1)[0]
    same_times = client.schedules.change("nightly", jitter="5s")
    assert (same_times.jitter_seconds, same_times.next_at) == (5.0, changed.next_at)
    wrong: list[dict[str, Any]] = [{}, {"rule": "at noon"}, {"zone": "Europe/Atlantis"}]
    for given in wrong:
        with pytest.raises(BadOption):
            client.schedules.change("nightly", **given)
    with pytest.raises(ScheduleNotFound):
        client.schedules.change("nobody", rule="@daily")


def test_a_clock_that_was_set_back_brings_no_slot_twice(client: lh.Client) -> None:
    client.schedules.set("nightly", "@hourly", greet.call("Ada"))
    client.store.skew_seconds = SOON.total_seconds()
    lh.Worker(client, [greet]).run(until_empty=True)
    last = get(client).last_slot
    assert last is not None
    client.store.skew_seconds = -SOON.total_seconds()
    changed = client.schedules.set("nightly", "*/30 * * * *", greet.call("Bob"))
    assert changed.next_at is not None
    assert changed.next_at > last


def test_a_pause_lets_slots_pass_for_good(client: lh.Client) -> None:
    client.schedules.set("nightly", "@hourly", greet.call("Ada"))
    assert client.schedules.pause("nightly", by="ada")
    assert not client.schedules.pause("nightly")
    assert get(client).paused_by == "ada"
    client.store.skew_seconds = SOON.total_seconds()
    assert client.schedules.resume("nightly")
    assert not client.schedules.resume("nightly")
    assert get(client).next_at == client.schedules.preview("nightly", 1)[0]


def test_run_now_makes_a_job_and_leaves_the_slots(client: lh.Client) -> None:
    before = client.schedules.set("nightly", "@daily", greet.call("Ada"))
    client.schedules.pause("nightly")
    first, second = client.schedules.run_now("nightly"), client.schedules.run_now("nightly")
    assert first != second
    after = get(client)
    assert (after.last_job, after.next_at, after.last_slot) == (second, before.next_at, None)
    assert client.get(first).args == {"name": "Ada"}


def test_run_now_of_a_job_whose_key_is_held_names_the_holder(client: lh.Client) -> None:
    client.schedules.set("nightly", "@daily", greet.with_options(key="one").call("Ada"))
    first = client.schedules.run_now("nightly")
    assert client.schedules.run_now("nightly") == first


def test_what_is_not_there_is_said(client: lh.Client) -> None:
    for verb in ("get", "pause", "resume", "run_now", "preview"):
        with pytest.raises(ScheduleNotFound, match="no schedule 'nightly'"):
            getattr(client.schedules, verb)("nightly")
    assert not client.schedules.delete("nightly")


def test_deleting_one_leaves_the_others(client: lh.Client) -> None:
    for name in ("b", "a"):
        client.schedules.set(name, "@daily", greet.call("Ada"))
    assert [each.name for each in client.schedules.list()] == ["a", "b"]
    assert client.schedules.delete("a")
    assert [each.name for each in client.schedules.list()] == ["b"]
    assert client.schedules.list(tenant="acme") == []


def test_a_preview_may_begin_anywhere(client: lh.Client) -> None:
    client.schedules.set("nightly", "30 2 * * *", greet.call("Ada"), zone="Europe/Berlin")
    after = datetime(2026, 3, 28, 12, tzinfo=UTC)
    found = client.schedules.preview("nightly", 2, after=after)
    assert found == [datetime(2026, 3, 29, 1, tzinfo=UTC), datetime(2026, 3, 30, 0, 30, tzinfo=UTC)]
    assert nightly("30 2 * * *", zone="Europe/Berlin").preview(after, 2) == found
    with pytest.raises(BadOption, match="count"):
        client.schedules.preview("nightly", 0)


def test_one_that_always_moves_is_given_up(client: lh.Client) -> None:
    client.schedules.set("nightly", "@daily", greet.call("Ada"))
    declare(client.store, [lh.schedule("weekly", "@weekly", greet.call("Ada"))])
    store: Any = ChangedStore(
        client.store, put_schedule=lambda *_, **__: False, fire=lambda *_: False
    )
    unlucky = lh.Client(store=store)
    with pytest.raises(StoreBusy, match="moved each time"):
        unlucky.schedules.set("nightly", "@hourly", greet.call("Ada"))
    with pytest.raises(StoreBusy, match="moved each time"):
        unlucky.schedules.run_now("nightly")
    with pytest.raises(StoreBusy, match="moved each time"):
        declare(store, [lh.schedule("weekly", "@weekly", greet.call("Bob"))])


# -- in code --------------------------------------------------------------------------------------
def test_what_code_declares_is_written_down_once(client: lh.Client) -> None:
    declare(client.store, [nightly()])
    first = get(client)
    declare(client.store, [nightly()])
    assert get(client) == first
    assert (first.set_by, first.version) == (None, 1)


def test_what_code_declares_anew_goes_before_what_it_declared(client: lh.Client) -> None:
    declare(client.store, [nightly()])
    declare(client.store, [nightly("0 4 * * *")])
    assert (get(client).rule, get(client).version) == ("0 4 * * *", 2)


def test_what_somebody_set_goes_before_what_code_declares(client: lh.Client) -> None:
    declare(client.store, [nightly()])
    client.schedules.set("nightly", "0 5 * * *", greet.call("Ada"), by="ada")
    declare(client.store, [nightly("0 4 * * *")])
    assert (get(client).rule, get(client).set_by) == ("0 5 * * *", "ada")


def test_a_pause_outlives_a_deployment(client: lh.Client) -> None:
    declare(client.store, [nightly()])
    client.schedules.pause("nightly", by="ada")
    declare(client.store, [nightly("0 4 * * *")])
    assert get(client).paused_by == "ada"


def test_schedules_are_found_in_a_module_given_as_tasks() -> None:
    module = ModuleType("jobs")
    vars(module).update(greet=greet, nightly=nightly(), other=3)
    registry = lh.Registry(module)
    assert [each.name for each in registry.schedules] == ["nightly"]
    found = _settings(registry, schedules=[nightly(), lh.schedule("b", 60, greet.call("Ada"))])
    assert [each.name for each in found.schedules] == ["nightly", "b"], "the same twice is one"
    with pytest.raises(BadOption, match="declared twice"):
        _settings(registry, schedules=[nightly("@daily")])


def _settings(registry: lh.Registry, **options: Any) -> Any:
    given: dict[str, Any] = {"queues": None, "slots": 1, "lease": 60, "poll": 1, "grace": 1}
    return read_settings(registry, **given, **options)


# -- awaited --------------------------------------------------------------------------------------
def test_asyncio_has_the_same_verbs() -> None:
    for name, verb in inspect.getmembers(Schedules, inspect.isfunction):
        if not name.startswith("_"):
            awaited = getattr(AsyncSchedules, name)
            assert inspect.signature(awaited) == inspect.signature(verb), name
            assert inspect.iscoroutinefunction(awaited), name


def test_each_verb_can_be_awaited(store_url: str) -> None:
    async def use() -> None:
        async with lh.AsyncClient(store_url) as client:
            await client.schedules.set("nightly", "@daily", greet.call("Ada"))
            assert (await client.schedules.change("nightly", rule="@hourly")).rule == "@hourly"
            assert await client.schedules.pause("nightly")
            assert await client.schedules.resume("nightly")
            job = await client.schedules.run_now("nightly")
            assert (await client.schedules.get("nightly")).last_job == job
            assert len(await client.schedules.preview("nightly", 3)) == 3
            assert len(await client.schedules.list()) == 1
            assert await client.schedules.delete("nightly")

    asyncio.run(use())
