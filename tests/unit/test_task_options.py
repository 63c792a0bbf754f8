"""Options of a task: checked where they are said, kept by its jobs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

import leasehold as lh
from leasehold.errors import BadOption
from leasehold.model.values import TaskPolicy
from leasehold.task import Task, task
from tests.unit.task_kit import FRESH, add, send

GIVEN = UUID(int=2)


MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


def test_options_travel_with_the_job() -> None:
    job = send.with_options(
        queue="fast",
        priority=-1,
        max_attempts=1,
        timeout=timedelta(seconds=9),
        delay="1m",
        tenant="acme",
        created_by="ada",
        batch=str(GIVEN),
    ).new_job(FRESH, "x")
    assert job == lh.task(name="mail.send")(send.handler).with_options(
        queue="fast",
        priority=-1,
        max_attempts=1,
        timeout=9,
        delay=60,
        tenant="acme",
        created_by="ada",
        batch=GIVEN,
    ).new_job(FRESH, "x")
    assert (job.kind, job.queue, job.priority, job.delay_seconds) == ("mail.send", "fast", -1, 60)
    assert (job.id, job.batch, job.timeout_seconds) == (FRESH, GIVEN, 9)


def test_with_options_leaves_the_task_as_it_was() -> None:
    changed = send.with_options(priority=9, id=GIVEN)
    assert (send.options.priority, send.options.job_id) == (3, None)
    assert (changed.name, changed.handler, changed.origin) == (send.name, send.handler, send)
    assert (changed.options.queue, changed.options.priority) == ("mail", 9)


def test_a_given_id_is_the_jobs_id() -> None:
    assert send.with_options(id=GIVEN).new_job(FRESH, "x").id == GIVEN
    assert send.with_options(id=str(GIVEN)).call("x").job(FRESH).id == GIVEN


def test_the_later_of_delay_and_run_at_wins_and_both_at_once_are_refused() -> None:
    delayed = send.with_options(delay=5)
    assert delayed.with_options(run_at=MOMENT).options.delay_seconds is None
    assert delayed.with_options(run_at=MOMENT).with_options(delay=1).options.run_at is None
    with pytest.raises(BadOption, match="either delay or run_at"):
        send.with_options(delay=5, run_at=MOMENT)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("queue", "", "queue: '' is not a name"),
        ("queue", "a\nb", "is not a name"),
        ("queue", "x" * 201, "longer than 200"),
        ("queue", 5, "is not a name"),
        ("priority", 32_768, "whole number from -32,767 to 32,767"),
        ("priority", 1.5, "whole number"),
        ("priority", True, "whole number"),
        ("max_attempts", 0, "whole number from 1"),
        ("timeout", 0, "timeout: must be longer than 0"),
        ("timeout", None, "timeout: None is not a duration"),
        ("timeout", "soon", "timeout: can't read 'soon'"),
        ("retry", 5, "is not a policy"),
        ("retry", lh.never, "call it, retry=never(...)"),
        ("lease", "0s", "must be longer than 0"),
        ("isolation", "rocket", "is not one of 'thread', 'process'"),
        ("on_lapse", "explode", "is not one of 'retry', 'dead'"),
        ("limits", "512MB", "write lh.Limits(memory='512MB')"),
        ("limits", lh.Limits(memory=2**30), "need isolation='process'"),
        ("network", False, "need isolation='process'"),
        ("network", 0, "is not True or False"),
        ("args_limit", 0, "whole number"),
        ("name", " \x00", "is not a name"),
        ("name", "", "is not a name"),
        ("colour", "red", "there is no option 'colour' here; there are args_limit"),
        ("delay", 5, "there is no option 'delay' here"),
    ],
)
def test_an_option_that_can_not_be_used_is_refused(name: str, value: Any, reason: str) -> None:
    with pytest.raises(BadOption) as caught:
        task(**{name: value})(add.handler)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("run_at", "tomorrow", "is not a datetime; for a wait from now use delay"),
        ("run_at", MOMENT.replace(tzinfo=None), "has no time zone"),
        ("delay", -1, "between 0 and 100 years"),
        ("id", "seven", "id: 'seven' is not a UUID"),
        ("id", 7, "id: 7 is not a UUID"),
        ("batch", "b", "batch: 'b' is not a UUID"),
        ("tenant", "\x00", "tenant: '\\x00' is not a name"),
        ("retry", lh.never(), "there is no option 'retry' here; there are after"),
    ],
)
def test_an_option_of_one_call_is_checked_too(name: str, value: Any, reason: str) -> None:
    with pytest.raises(BadOption) as caught:
        send.with_options(**{name: value})
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("written", "expected"),
    [("512MB", 2**29), ("1 GiB", 2**30), ("2048k", 2**21), (2**20, 2**20), (None, None)],
)
def test_a_memory_limit_is_read_as_people_write_it(written: Any, expected: int | None) -> None:
    limits = lh.Limits(memory=written, cpu="10s")
    made = task(isolation="process", limits=limits)(add.handler)
    assert made.options.limits.memory_bytes == expected
    assert made.options.limits.cpu_seconds == 10


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("memory", "much", "write bytes or text like '512MB'"),
        ("memory", 5, "whole number from 1,048,576"),
        ("memory", True, "can't read True"),
        ("cpu", 0, "must be longer than 0"),
        ("file_size", -1, "can't read -1"),
        ("open_files", 3, "whole number from 16"),
        ("processes", -1, "whole number from 0"),
    ],
)
def test_limits_that_can_not_be_kept_are_refused(name: str, value: Any, reason: str) -> None:
    with pytest.raises(BadOption) as caught:
        lh.Limits(**{name: value})
    assert reason in str(caught.value)


def test_the_store_is_told_the_tasks_policy() -> None:
    assert send.policy() == TaskPolicy(
        kind="mail.send",
        queue="mail",
        priority=3,
        max_attempts=4,
        timeout_seconds=300.0,
        dies_on_lapse=True,
    )


def test_a_task_made_without_options_has_the_documented_defaults() -> None:
    options = add.options
    assert (options.queue, options.priority, options.max_attempts) == ("default", 0, 5)
    assert (options.timeout_seconds, options.lease_seconds) == (3600, None)
    assert (options.isolation, options.on_lapse) == ("thread", "retry")
    assert (options.args_limit, options.result_limit) == (262_144, 262_144)
    assert isinstance(add, Task)
