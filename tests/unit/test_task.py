"""A task is its handler with a name and options; a call is bound, checked and encoded at once."""

from __future__ import annotations

import functools
import inspect
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import leasehold as lh
from leasehold.errors import BadArguments, BadOption
from leasehold.model.ids import JobId
from leasehold.model.values import TaskPolicy
from leasehold.task import Task, task

if TYPE_CHECKING:
    from collections.abc import Callable

    from nowhere import Missing  # type: ignore[import-not-found] # wrong on purpose

FRESH = JobId(UUID(int=1))
GIVEN = UUID(int=2)
MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


@task
def add(a: int, b: int = 2, *, c: str = "x") -> int:
    """Add."""
    return a + b + len(c)


@task(name="mail.send", queue="mail", priority=3, max_attempts=4, timeout="5m", on_lapse="dead")
async def send(to: str) -> str:
    return to


def args_of(made: lh.Call) -> Any:
    return msgspec.json.decode(made.args)


def test_calling_a_task_runs_its_handler() -> None:
    assert add(1, c="") == 3


def test_a_task_looks_like_its_handler() -> None:
    assert inspect.signature(add) == inspect.signature(add.handler)
    assert add.__wrapped__ is add.handler
    assert repr(send) == "<Task mail.send>"


def test_the_name_is_module_and_qualified_name_unless_given() -> None:
    assert add.name == f"{__name__}.add"
    assert send.name == "mail.send"


def test_a_task_of_the_main_program_has_no_module_in_its_name() -> None:
    def job() -> None: ...

    job.__module__, job.__qualname__ = "__main__", "job"
    assert task(job).name == "job"


# -- binding -------------------------------------------------------------------------------------
def test_arguments_are_stored_by_name_without_defaults() -> None:
    assert args_of(add.call(1)) == {"a": 1}
    assert args_of(add.call(1, 5, c="y")) == {"a": 1, "b": 5, "c": "y"}
    assert add.call(1, 5).args == add.call(b=5, a=1).args


@pytest.mark.parametrize(
    ("args", "kwargs", "reason"),
    [
        ((), {}, "missing a required argument: 'a'"),
        ((1, 2, "x"), {}, "too many positional arguments"),
        ((1,), {"a": 1}, "multiple values for argument 'a'"),
        ((1,), {"d": 1}, "got an unexpected keyword argument 'd'"),
        (("1",), {}, "args.a: expected `int`, got `str`"),
        ((1,), {"c": None}, "args.c: expected `str`, got `null`"),
        ((1.5,), {}, "args.a: expected `int`, got `float`"),
    ],
)
def test_a_wrong_call_fails_at_the_call(args: Any, kwargs: Any, reason: str) -> None:
    with pytest.raises(BadArguments) as caught:
        add.call(*args, **kwargs)
    assert caught.value.reason == reason


NAMES = st.sampled_from("abcdef")


@given(
    st.lists(NAMES, unique=True, max_size=5),
    st.integers(0, 5),
    st.integers(0, 5),
    st.lists(st.integers(0, 9), max_size=6),
    st.dictionaries(NAMES, st.integers(0, 9)),
)
def test_binding_agrees_with_python(
    names: list[str], starred: int, defaults: int, args: list[int], kwargs: dict[str, int]
) -> None:
    handler = make_handler(names, starred, defaults)
    made = task(name="made")(handler)
    expected = bind_like_python(handler, args, kwargs)
    if isinstance(expected, str):
        with pytest.raises(BadArguments) as caught:
            made.call(*args, **kwargs)
        assert caught.value.reason == expected
    else:
        raw = bytes(memoryview(made.call(*args, **kwargs).args))
        assert made.decode(raw) == expected


def bind_like_python(
    handler: Callable[..., Any], args: list[int], kwargs: dict[str, int]
) -> dict[str, Any] | str:
    try:
        return dict(inspect.signature(handler).bind(*args, **kwargs).arguments)
    except TypeError as error:
        return str(error)


def make_handler(names: list[str], starred: int, defaults: int) -> Callable[..., Any]:
    kinds = inspect.Parameter
    parameters = [
        kinds(
            name,
            kinds.KEYWORD_ONLY if index >= starred else kinds.POSITIONAL_OR_KEYWORD,
            default=None if index >= defaults else kinds.empty,
        )
        for index, name in enumerate(names)
    ]

    def handler(**_kwargs: Any) -> None: ...

    handler.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    handler.__annotations__ = {}
    return handler


def test_decoded_arguments_call_the_handler() -> None:
    assert add(**add.decode('{"a": 1, "c": "yy"}')) == 5


def test_a_parameter_may_have_any_name_that_the_library_uses_itself() -> None:
    @task
    def awkward(task: int, args: int, kwargs: int, fresh_id: int, name: int) -> None: ...

    names = {"task": 1, "args": 2, "kwargs": 3, "fresh_id": 4, "name": 5}
    assert awkward.decode(bytes(memoryview(awkward.new_job(FRESH, **names).args))) == names


# -- handlers ------------------------------------------------------------------------------------
class Adder:
    """A callable object."""

    def __call__(self, a: int) -> int:
        return a + 1

    def method(self, a: int) -> int:
        return a + 2

    @task
    @staticmethod
    def inner(a: int) -> int:
        return a + 3

    @staticmethod
    @task
    def outer(a: int) -> int:
        return a + 4


class AsyncAdder:
    """A callable object whose call is a coroutine."""

    async def __call__(self, a: int) -> int:
        return a


def wrap(handler: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(handler)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return handler(*args, **kwargs)

    return wrapper


def test_a_staticmethod_is_a_task_whichever_decorator_stands_outside() -> None:
    assert (Adder.inner(1), Adder.outer(1)) == (4, 5)
    assert Adder.inner.name == f"{__name__}.Adder.inner"
    for made in (Adder.inner, Adder.outer):
        with pytest.raises(BadArguments, match="expected `int`"):
            made.call("1")  # type: ignore[arg-type] # wrong on purpose


def test_a_wrapped_function_keeps_its_parameters_and_annotations() -> None:
    @task(name="wrapped")
    @wrap
    def wrapped(a: int, b: str = "") -> None: ...

    assert args_of(wrapped.call(1, "x")) == {"a": 1, "b": "x"}
    with pytest.raises(BadArguments, match="expected `int`"):
        wrapped.call("1")


@pytest.mark.parametrize("handler", [Adder(), Adder().method, functools.partial(add.handler, b=5)])
def test_callable_objects_bound_methods_and_partials_are_checked_too(handler: Any) -> None:
    made = task(name="made")(handler)
    assert args_of(made.call(1)) == {"a": 1}
    assert made.is_async is False
    with pytest.raises(BadArguments, match="expected `int`"):
        made.call("1")


def test_a_task_is_async_when_calling_its_outermost_function_gives_a_coroutine() -> None:
    assert send.is_async
    assert not add.is_async
    assert task(name="made")(AsyncAdder()).is_async
    assert not task(name="made")(wrap(send.handler)).is_async


def take_list(*items: int) -> None: ...
def take_dict(**items: int) -> None: ...
def take_unnamed(a: int, /) -> None: ...
def take_self(self: Any, a: int) -> None: ...
def take_class(cls: Any) -> None: ...
def generate() -> Any:
    yield 1


async def generate_async() -> Any:
    yield 1


@pytest.mark.parametrize(
    ("handler", "reason"),
    [
        (take_list, "take a list instead"),
        (take_dict, "take a dict instead"),
        (take_unnamed, "drop the '/'"),
        (take_self, "make it a function or a staticmethod"),
        (take_class, "make it a function or a staticmethod"),
        (generate, "return instead of yield"),
        (generate_async, "return instead of yield"),
        (add, "is a task already"),
        (Adder, "make it a function"),
        (classmethod(take_class), "make it a function"),
        (5, "make it a function"),
    ],
)
def test_what_can_not_be_a_task_is_refused_with_the_way_out(handler: Any, reason: str) -> None:
    with pytest.raises(BadOption) as caught:
        task(name="made")(handler)
    assert reason in str(caught.value)


@pytest.mark.parametrize("handler", [lambda: None, Adder(), functools.partial(add.handler, 1)])
def test_a_handler_without_a_name_needs_one(handler: Any) -> None:
    with pytest.raises(BadOption, match="name="):
        task(handler)


def test_an_annotation_may_name_what_is_defined_later() -> None:
    @task
    def early(value: Later) -> None: ...

    assert args_of(early.call(Later(a=1))) == {"value": {"a": 1}}


class Later(msgspec.Struct):
    a: int


def test_an_annotation_that_can_not_be_resolved_says_what_to_do() -> None:
    @task
    def lost(value: Missing) -> None: ...

    with pytest.raises(BadOption, match="outside of TYPE_CHECKING"):
        lost.call(1)


def test_an_annotation_that_can_not_be_read_from_json_is_refused() -> None:
    @task
    def odd(value: Adder | AsyncAdder) -> None: ...

    with pytest.raises(BadOption, match="can't be checked"):
        odd.call(1)  # type: ignore[arg-type] # wrong on purpose


# -- options -------------------------------------------------------------------------------------
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
