"""A payload's hash says whether something has changed, and nothing of when."""

from leasehold_memory.model.hashing import payload_hash


def test_the_order_of_keys_and_values_of_now_do_not_count() -> None:
    first = {"a": 1, "b": [{"generated_at": "2026-01-01", "c": "猫"}]}
    again = {"b": [{"c": "猫", "generated_at": "2026-02-02"}], "a": 1, "updated_at": 3}
    assert payload_hash(first) == payload_hash(again)
    assert payload_hash(first) != payload_hash({"a": 1, "b": [{"c": "犬"}]})
