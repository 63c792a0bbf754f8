"""The same tags are always written the same."""

import pytest

from leasehold_memory.model.tags import write_tags


@pytest.mark.parametrize(
    ("tags", "written"),
    [
        (["\uff21\uff29", "AI", " AI "], '["AI"]'),
        (["b", "a", "b"], '["a","b"]'),
        (["", " ", "\u3000"], "[]"),
        ([], "[]"),
        (["\u30ab\u3099"], '["\u30ac"]'),
        (["猫", "犬"], '["犬","猫"]'),
    ],
)
def test_tags_are_normalised_trimmed_unique_and_sorted(tags: list[str], written: str) -> None:
    assert write_tags(tags) == written
