"""Results come back as they went in; what can't be stored is refused aloud and harms no other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from leasehold.errors import LeaseholdError
from leasehold.model.states import State
from leasehold.store.base import Answer
from tests.conformance.kit import WORKER, look, raw, settle, settlement, start_many, start_one

if TYPE_CHECKING:
    from leasehold.store.base import Store

NOT_JSON = (b"NaN", b'{"a":', b"[1,]")


@pytest.mark.parametrize(
    "value",
    [
        0,
        "",
        False,
        [],
        {},
        "naïve 北京 🏠 \u2028 \" \\ ' % :name ? {} $1",
        [1, 2.5, None, True, {"a": {"b": []}}],
        -(2**63),
        2**63 - 1,
        0.1,
        "x" * 200_000,
    ],
    ids=lambda value: f"{type(value).__name__}-{str(value)[:8]}",
)
def test_a_result_comes_back_as_it_went_in(store: Store, value: Any) -> None:
    taken = start_one(store)
    settle(store, taken, "succeeded", result=raw(value))

    assert look(store, taken.job_id).result == value
    assert type(look(store, taken.job_id).result) is type(value)
    assert store.history(taken.job_id)[0].result == value


@pytest.mark.parametrize("result", [None, msgspec.Raw(b"null")])
def test_null_and_no_result_both_read_as_none(store: Store, result: msgspec.Raw | None) -> None:
    taken = start_one(store)
    assert settle(store, taken, "succeeded", result=result) is Answer.SETTLED

    assert look(store, taken.job_id).result is None


@pytest.mark.parametrize("poison", NOT_JSON)
def test_what_is_no_json_is_refused_and_the_lease_stands(store: Store, poison: bytes) -> None:
    taken = start_one(store)

    with pytest.raises(LeaseholdError):
        settle(store, taken, "succeeded", result=msgspec.Raw(poison))
    assert look(store, taken.job_id).state is State.RUNNING
    assert settle(store, taken, "dead", error="bad result", is_counted=True) is Answer.SETTLED


def test_one_poisonous_result_refuses_the_batch_and_settles_none(store: Store) -> None:
    claims = start_many(store, 5)
    ends = [settlement(taken, "succeeded", result=raw(1)) for taken in claims]
    ends[3] = settlement(claims[3], "succeeded", result=msgspec.Raw(b"NaN"))

    with pytest.raises(LeaseholdError):
        store.finish(WORKER, ends)
    assert {look(store, taken.job_id).state for taken in claims} == {State.RUNNING}
    healthy = ends[:3] + ends[4:]
    assert store.finish(WORKER, healthy) == [Answer.SETTLED] * 4


@pytest.mark.parametrize("value", ["a\x00b", {"a\x00b": 1}])
def test_a_nul_is_either_refused_or_kept_never_mangled(store: Store, value: Any) -> None:
    taken = start_one(store)
    try:
        settle(store, taken, "succeeded", result=raw(value))
    except LeaseholdError:
        assert look(store, taken.job_id).state is State.RUNNING
    else:
        assert look(store, taken.job_id).result == value


def test_an_error_text_with_a_nul_is_either_refused_or_kept(store: Store) -> None:
    taken = start_one(store)
    try:
        settle(store, taken, "dead", error="a\x00b", is_counted=True)
    except LeaseholdError:
        assert look(store, taken.job_id).state is State.RUNNING
    else:
        assert look(store, taken.job_id).error == "a\x00b"


def test_the_store_works_on_after_a_refusal(store: Store) -> None:
    taken, other = start_many(store, 2)
    with pytest.raises(LeaseholdError):
        settle(store, taken, "succeeded", result=msgspec.Raw(b"NaN"))

    assert settle(store, other, "succeeded") is Answer.SETTLED
