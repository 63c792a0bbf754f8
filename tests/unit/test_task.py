"""A task is its handler with a name and options; a call is bound, checked and encoded at once."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import leasehold as lh
from leasehold.errors import BadArguments, BadOption
from leasehold.task import task
from tests.unit.task_kit import FRESH, add, send

if TYPE_CHECKING:
    from collections.abc import Callable

    from nowhere import Missing  # type: ignore[import-not-found] # wrong on purpose


def args_of(made: lh.Call) -> Any:
    return msgspec.json.decode(made.args)


def test_calling_a_task_runs_its_handler() -> None:
    assert add(1, c="") == 3


def test_a_task_looks_like_its_handler() -> None:
    assert inspect.signature(add) == inspect.signature(add.handler)
    assert add.__wrapped__ is add.handler
    assert repr(send) == "<Task mail.send>"


def test_the_name_is_module_and_qualified_name_unless_given() -> None:
    assert add.name == "tests.unit.task_kit.add"
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
