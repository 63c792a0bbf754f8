"""Arguments and results are JSON: what fits comes back as it was, what does not is named."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, TypedDict
from uuid import UUID

import msgspec
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leasehold.errors import BadArguments, BadResult
from leasehold.payload import is_too_deep
from leasehold.task import task
from leasehold.walk import DEPTH_LIMIT

NAIVE = datetime(2026, 1, 1, 12, 30)  # noqa: DTZ001 - wrong on purpose
AWARE = NAIVE.replace(tzinfo=UTC)


class Colour(enum.Enum):
    RED = "red"


@dataclass(frozen=True)
class Line:
    name: str
    price: Decimal
    when: datetime | None = None


class Point(msgspec.Struct, frozen=True):
    x: float
    note: str | msgspec.UnsetType = msgspec.UNSET


class Address(TypedDict):
    city: str


class Customer(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(strict=True)
    id: UUID
    born: date
    full_name: str = pydantic.Field(alias="fullName")
    seen: datetime | None = None


@task
def anything(value: Any) -> None: ...


@task
def untyped(value) -> None: ...  # type: ignore[no-untyped-def] # noqa: ANN001 - as some are


def nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    return value


def raw_of(value: object) -> bytes:
    return bytes(memoryview(anything.call(value).args))


BAD_VALUES = [
    ({"value": math.nan}, "args.value.value: nan has no form in JSON"),
    ([1.0, -math.inf], "args.value[1]: -inf has no form in JSON"),
    ({"items": [0, 1, 2, {"when": NAIVE}]}, "args.value.items[3].when: a datetime without a time"),
    ("a\x00b", "args.value: a NUL character"),
    ({"a\x00": 1}, "args.value: in the key 'a\\x00': a NUL character"),
    (["ok", "\ud800"], "args.value[1]: a lone surrogate"),
    ({"\ud800": 1}, "args.value: in the key '\\ud800': a lone surrogate"),
    (2**63, "args.value: an integer outside of 64 bits; pass it as text"),
    ([-(2**63) - 1], "args.value[0]: an integer outside of 64 bits"),
    (10**30, "args.value: an integer outside of 64 bits"),
    ({2**64: 1}, "args.value: in the key 18446744073709551616: an integer outside"),
    ({(1, 2): 3}, "args.value: the key (1, 2) can't be a key in JSON"),
    ({1: "a", "1": "b"}, "args.value: two keys are the same text in JSON"),
    ({"a b": {"c": object()}}, "args.value['a b'].c: a object can't be stored as JSON"),
    ([1, 1j], "args.value[1]: a complex can't be stored as JSON"),
    ((n for n in [1]), "args.value: a generator can't be stored as JSON"),
    (nested(DEPTH_LIMIT), "nested deeper than 100 levels"),
    (nested(10_000), "nested deeper than 100 levels"),
    (Line("a", Decimal(1), NAIVE), "args.value.when: a datetime without a time zone"),
    (Point(math.nan), "args.value.x: nan has no form"),
    (
        Customer(id=UUID(int=1), born=date(2000, 1, 1), fullName="A", seen=NAIVE),
        "args.value.seen: a datetime without a time zone",
    ),
    ("x" * 262_144, "262,156 bytes of JSON are more than the limit of 262,144"),
    (msgspec.Raw(b'{"a": "\\u0000"}'), "args.value.a: a NUL character"),
    (msgspec.Raw(b"{nonsense"), "args: JSON is malformed"),
]


@pytest.mark.parametrize(("value", "reason"), BAD_VALUES, ids=[reason for _, reason in BAD_VALUES])
def test_a_value_that_can_not_be_stored_is_refused_by_its_place(value: object, reason: str) -> None:
    with pytest.raises(BadArguments) as caught:
        anything.call(value)
    assert reason.lower() in caught.value.reason.lower()
    assert caught.value.kind == anything.name


@pytest.mark.parametrize(("value", "reason"), BAD_VALUES, ids=[reason for _, reason in BAD_VALUES])
def test_a_result_that_can_not_be_stored_is_refused_too(value: object, reason: str) -> None:
    if reason.startswith("262"):
        value = "x" * 262_145
    with pytest.raises(BadResult):
        anything.encode_result([value])


def test_a_cycle_is_refused_not_followed() -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    with pytest.raises(BadArguments, match="nested deeper"):
        anything.call(cycle)


@pytest.mark.parametrize(
    "value",
    [
        None,
        [None, None],
        2**63 - 1,
        -(2**63),
        "1234567890123456789012345",
        "null",
        "T12:30:00",
        "2026-01-01T12:30:00",
        "\\u0000",
        "[{" * 200,
        ['"', "\\", '\\"[[['] * 50,
        {"null": "\\\\u0000"},
        [{} for _ in range(500)],
        nested(DEPTH_LIMIT - 1),
        1e308,
        5e-324,
        "\U0001f600\x7f\n",
    ],
)
def test_a_value_that_only_looks_suspicious_is_stored_as_it_is(value: object) -> None:
    assert untyped.decode(raw_of(value)) == {"value": value}


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=20,
)


@given(JSON)
def test_any_json_comes_back_as_it_was(value: Any) -> None:
    assert untyped.decode(raw_of(value)) == {"value": value}
    result = anything.encode_result(value)
    assert (None if result is None else msgspec.json.decode(result)) == value


@given(st.dictionaries(st.text(st.characters(categories=["L"])), st.integers(0, 9)), st.randoms())
def test_equal_values_are_equal_text_whatever_their_order(
    value: dict[str, int], chance: Any
) -> None:
    pairs = list(value.items())
    chance.shuffle(pairs)
    assert raw_of(dict(pairs)) == raw_of(value)


@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_depth_is_counted_outside_of_text(value: Any) -> None:
    padded = [value, *(["["] * DEPTH_LIMIT)]  # many brackets, none of them deep
    assert not is_too_deep(msgspec.json.encode(padded))
    for _ in range(DEPTH_LIMIT):
        value = {"a": value}
    assert is_too_deep(msgspec.json.encode([value]))


@dataclass
class Basket:
    lines: list[Line]
    sizes: dict[int, str] = field(default_factory=dict)


@task
def typed(
    *,
    line: Line,
    point: Point,
    colour: Colour,
    moment: datetime,
    span: timedelta,
    key: UUID,
    price: Decimal,
    address: Address,
    customer: Customer,
    basket: Basket,
    blob: bytes,
    tags: frozenset[str],
    small: Annotated[int, msgspec.Meta(lt=10)],
) -> None: ...


VALUES: dict[str, Any] = {
    "line": Line("pen", Decimal("1.10"), AWARE),
    "point": Point(1.5),
    "colour": Colour.RED,
    "moment": AWARE,
    "span": timedelta(seconds=90),
    "key": UUID(int=7),
    "price": Decimal("0.1000"),
    "address": {"city": "서울"},
    "customer": Customer(id=UUID(int=1), born=date(2000, 1, 1), fullName="Ada", seen=AWARE),
    "basket": Basket([Line("a", Decimal(1))], {1: "small", 2: "big"}),
    "blob": b"\x00\xff",
    "tags": frozenset({"a", "b"}),
    "small": 9,
}


def test_every_supported_type_comes_back_as_its_annotation_says() -> None:
    raw = bytes(memoryview(typed.call(**VALUES).args))
    assert typed.decode(raw) == VALUES
    assert typed.decode(raw.decode()) == VALUES


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("small", 10, "args.small: expected `int` <= 9"),
        ("key", "seven", "args.key: invalid UUID"),
        ("colour", "blue", "args.colour: invalid enum value 'blue'"),
        ("line", {"name": 1, "price": "1"}, "args.line.name: expected `str`, got `int`"),
        ("basket", Basket([1]), "args.basket.lines[0]: expected `object`, got `int`"),  # type: ignore[list-item]
        ("customer", {"id": "x"}, "args.customer: "),
        ("address", {}, "args.address: object missing required field `city`"),
        ("point", None, "args.point: expected `object`, got `null`"),
    ],
)
def test_a_value_that_does_not_fit_its_annotation_is_refused(
    name: str, value: object, reason: str
) -> None:
    with pytest.raises(BadArguments) as caught:
        typed.call(**{**VALUES, name: value})
    assert reason in caught.value.reason


def test_a_pydantic_models_complaint_is_passed_on() -> None:
    with pytest.raises(BadArguments, match="born"):
        typed.call(**{**VALUES, "customer": {"id": str(UUID(int=1)), "fullName": "A"}})


@pytest.mark.parametrize(
    "raw", [b"", b"[]", b"null", b"{", b"\xff", b'{"value": 1, "more": 2}', b"{}", b"[" * 5000]
)
def test_stored_arguments_that_do_not_fit_are_bad_arguments(raw: bytes) -> None:
    with pytest.raises(BadArguments):
        anything.decode(raw)


def test_the_size_limits_are_the_tasks_own() -> None:
    @task(args_limit=20, result_limit=10)
    def small(text: str) -> str:
        return text

    small.call("123456789")
    with pytest.raises(BadArguments, match="the limit of 20"):
        small.call("1234567890")
    small.encode_result("12345678")
    with pytest.raises(BadResult, match="the limit of 10"):
        small.encode_result("123456789")


def test_no_result_needs_no_storing() -> None:
    assert anything.encode_result(None) is None


def test_a_forgotten_coroutine_is_named_as_such() -> None:
    async def work() -> None: ...

    with pytest.raises(BadResult, match="nobody awaited"):
        anything.encode_result(work())
