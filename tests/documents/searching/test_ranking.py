"""The best hit comes first, for reasons that a person can follow."""

from __future__ import annotations

import pytest

from leasehold_documents.searching import finding, search
from tests.documents.searching.kit import Archive, Text


@pytest.mark.parametrize(
    ("typed", "first", "second"),
    [
        ("vertrag", "Der Vertrag", "Der Mietvertrag"),
        ("vertrag", "Vertrag folgt Vertrag und Vertrag", "Der Vertrag"),
        ("miete pacht", "die Miete Pacht", "die Pacht und die Miete"),
        ("miete oder pacht", "Miete und Pacht", "Miete und Garage"),
        ("miet*", "Miete, Mieter", "Miete, Garage"),
        ('"die Miete" oder Garage', "Garage und die Miete", "Garage und Miete"),
    ],
)
def test_what_fits_better_comes_first(
    archive: Archive, typed: str, first: str, second: str
) -> None:
    archive.put("first", f"{first} steht hier irgendwo.")
    archive.put("second", f"{second} steht hier irgendwo.")
    assert archive.found(typed) == ["first", "second"]


def test_a_title_is_worth_more_than_what_stands_below_it(archive: Archive) -> None:
    archive.put("title", Text("Mietvertrag", "Title"))
    archive.put("text", "Ein Mietvertrag ist es.")
    assert archive.found("mietvertrag") == ["title", "text"]


def test_of_equal_hits_the_newest_comes_first_and_no_more_than_asked_for(archive: Archive) -> None:
    for number in range(5):
        archive.put(f"{number}", "Ein Mietvertrag ist es.")
    assert archive.found("mietvertrag", limit=3) == ["4", "3", "2"]
    assert len(search(archive.access, "mietvertrag", limit=0)) == 1


def test_of_very_many_hits_those_that_are_about_it_are_ranked_however_old(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "RANKED", 3)
    archive.put("old title", Text("Mietvertrag", "Title"))
    archive.put("old, often", "Mietvertrag, Mietvertrag und Mietvertrag")
    archive.put("old", "Ein Mietvertrag ist es.")
    for number in range(4):
        archive.put(f"new {number}", "Ein Mietvertrag ist es.")
    found = archive.found("mietvertrag")
    assert found == ["old, often", "old title", "new 3", "new 2", "new 1"]
