"""Where a job stands in line, made of its task's options and the call's arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest

import leasehold as lh
from leasehold.enqueuing import build_by_name
from leasehold.errors import BadArguments, BadOption
from leasehold.model.ids import JobId
from leasehold.placing import is_laned

if TYPE_CHECKING:
    from leasehold.model.values import NewJob

FRESH = JobId(UUID(int=1))
DOMAIN = lh.Throttle("domain", running=2)
OPENAI = lh.Throttle("openai", rate=90_000, per="1m")


def visit(host: str, user: int | None = None, *, port: int = 443) -> None: ...


@lh.task(name="plain")
def plain(host: str) -> None: ...


def made(**options: Any) -> lh.Task[..., None]:
    return lh.task(name="visit", **options)(visit)


def placed(job: NewJob) -> tuple[str | None, str | None, float | None]:
    return job.lane, job.share, job.cost


def place(*args: Any, options: dict[str, Any], **kwargs: Any) -> tuple[Any, Any, Any]:
    """Place one call both ways: as one job and as one of many."""
    task = made(**options)
    job = task.new_job(FRESH, *args, **kwargs)
    assert task.call(*args, **kwargs).job(FRESH) == job
    return placed(job)


def test_without_throttle_and_share_a_job_has_no_place() -> None:
    assert placed(plain.new_job(FRESH, "a.com")) == (None, None, None)
    assert plain.call("a.com").place is None


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"throttle": OPENAI}, ("openai", None, None)),
        ({"throttle": DOMAIN.key("b.com")}, ("domain:b.com", None, None)),
        ({"throttle": "domain:c.com"}, ("domain:c.com", None, None)),
        ({"throttle": DOMAIN.by("host")}, ("domain:a.com", None, None)),
        ({"throttle": DOMAIN.by("host", "port")}, ("domain:a.com:443", None, None)),
        ({"throttle": DOMAIN.by("port", "host")}, ("domain:443:a.com", None, None)),
        ({"share": "user:7"}, ("", "user:7", None)),
        ({"share": lh.by("user")}, ("", "7", None)),
        ({"share": lh.by("user", "host")}, ("", "7:a.com", None)),
        ({"throttle": OPENAI, "share": "x"}, ("openai", "x", None)),
        ({"throttle": OPENAI, "share": lh.by("user")}, ("openai", "7", None)),
        ({"throttle": DOMAIN.by("host"), "share": "x"}, ("domain:a.com", "x", None)),
        ({"throttle": DOMAIN.by("host"), "share": lh.by("user")}, ("domain:a.com", "7", None)),
        ({"throttle": OPENAI, "cost": 1_200}, ("openai", None, 1_200.0)),
        ({"throttle": OPENAI, "cost": 0}, ("openai", None, 0.0)),
        ({"throttle": DOMAIN.by("host"), "cost": 2}, ("domain:a.com", None, 2.0)),
    ],
)
def test_options_and_arguments_make_the_place(
    options: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    assert place("a.com", 7, options=options) == expected
    assert place(options=options, user=7, host="a.com") == expected


def test_an_argument_that_is_left_out_counts_with_its_default() -> None:
    options = {"throttle": DOMAIN.by("port")}
    assert place("a.com", options=options)[0] == "domain:443"
    assert place("a.com", options=options, port=80)[0] == "domain:80"


def test_a_share_of_tenants_is_the_jobs_tenant() -> None:
    task = made(share=lh.TENANT)
    assert placed(task.with_options(tenant="acme").new_job(FRESH, "a.com")) == ("", "acme", None)


def test_jobs_without_a_tenant_are_one_share_too() -> None:
    assert placed(made(share=lh.TENANT).new_job(FRESH, "a.com")) == ("", "", None)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"throttle": DOMAIN.key("b.com")}, ("domain:b.com", "7", 5.0)),
        ({"throttle": OPENAI}, ("openai", "7", 5.0)),
        ({"throttle": None}, ("", "7", 5.0)),
        ({"share": "user:8"}, ("domain:a.com", "user:8", 5.0)),
        ({"share": None}, ("domain:a.com", None, 5.0)),
        ({"share": lh.TENANT, "tenant": "acme"}, ("domain:a.com", "acme", 5.0)),
        ({"cost": 300}, ("domain:a.com", "7", 300.0)),
        ({"cost": None}, ("domain:a.com", "7", None)),
        ({"throttle": None, "share": None, "cost": None}, (None, None, None)),
    ],
)
def test_one_job_may_stand_elsewhere_than_its_tasks_others(
    options: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    task = made(throttle=DOMAIN.by("host"), share=lh.by("user"), cost=5)
    assert placed(task.with_options(**options).new_job(FRESH, "a.com", 7)) == expected
    assert placed(task.new_job(FRESH, "a.com", 7)) == ("domain:a.com", "7", 5.0)


# -- what is refused -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    "options", [{"throttle": DOMAIN.by("hots")}, {"share": lh.by("host", "hots")}]
)
def test_by_of_an_argument_that_the_handler_does_not_take_is_refused_at_once(
    options: dict[str, Any],
) -> None:
    with pytest.raises(BadOption, match=r"task 'visit': by\('hots'\) is none of its arguments"):
        made(**options)
    with pytest.raises(BadOption, match="none of its arguments"):
        made().with_options(**options)


@pytest.mark.parametrize(
    ("options", "args", "reason"),
    [
        ({"share": lh.by("user")}, ("a.com",), "user: None can't be part of a key"),
        ({"share": lh.by("user")}, ("a.com", None), "user: None can't be part of a key"),
        ({"throttle": DOMAIN.by("user")}, ("a.com",), "user: None can't be part of a key"),
        ({"throttle": DOMAIN.by("host")}, ("",), "host: '' is not a name"),
        ({"throttle": DOMAIN.by("host")}, ("a\x1fb",), "is not a name"),
        ({"throttle": DOMAIN.by("host")}, ("x" * 194,), "longer than 200"),
        ({"share": lh.by("host")}, ("x" * 201,), "longer than 200"),
    ],
)
def test_an_argument_that_makes_no_key_fails_at_the_call(
    options: dict[str, Any], args: tuple[Any, ...], reason: str
) -> None:
    task = made(**options)
    with pytest.raises(BadArguments, match="visit") as caught:
        task.call(*args)
    assert reason in caught.value.reason
    with pytest.raises(BadArguments):
        task.new_job(FRESH, *args)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"throttle": 7}, "throttle: 7 is not a throttle; write Throttle('host', running=2)"),
        ({"throttle": lh.by("host")}, "is not a throttle"),
        ({"throttle": ""}, "throttle: '' is not a name"),
        ({"throttle": "a\nb"}, "is not a name"),
        ({"share": ""}, "share: '' is not a name"),
        ({"share": 7}, "share: 7 is not a name"),
        ({"share": "x" * 201}, "longer than 200"),
        ({"cost": -1}, "-1 is not an amount"),
        ({"cost": float("inf")}, "inf is not an amount"),
        ({"cost": "much"}, "'much' is not an amount"),
    ],
)
def test_options_that_make_no_place_are_refused(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadOption) as caught:
        made(**options)
    assert reason in str(caught.value)
    with pytest.raises(BadOption):
        made().with_options(**options)


# -- what the store is told ----------------------------------------------------------------------
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, (None, None, None, None)),
        ({"throttle": OPENAI, "cost": 5}, ("openai", None, None, 5.0)),
        ({"throttle": DOMAIN.key("b.com")}, ("domain:b.com", None, None, None)),
        ({"throttle": DOMAIN.by("host")}, ("domain", ("host",), None, None)),
        ({"share": lh.by("user")}, (None, None, ("user",), None)),
        ({"share": lh.TENANT}, (None, None, (), None)),
    ],
)
def test_the_store_is_told_how_to_place_what_comes_from_elsewhere(
    options: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    task = made(**options)
    policy = task.policy()
    assert (policy.throttle, policy.throttle_by, policy.share_by, policy.cost) == expected
    assert is_laned(task.options) == any(value is not None for value in expected[:3])


# -- by name -------------------------------------------------------------------------------------
def test_a_job_enqueued_by_name_is_placed_by_what_is_given() -> None:
    def by_name(args: dict[str, Any], **options: Any) -> tuple[Any, Any, Any]:
        return placed(build_by_name(FRESH, "visit", args, options))  # type: ignore[arg-type] # any

    assert by_name({}) == (None, None, None)
    assert by_name({}, throttle="domain:a.com", share="user:7", cost=2) == (
        "domain:a.com",
        "user:7",
        2.0,
    )
    assert by_name({"host": "a.com"}, throttle=DOMAIN.by("host")) == ("domain:a.com", None, None)
    with pytest.raises(BadOption, match="host: None can't be part of a key"):
        by_name({}, throttle=DOMAIN.by("host"))
