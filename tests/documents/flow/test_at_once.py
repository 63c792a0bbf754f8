"""What many do at the same moment: one of them is first, and nobody pays twice."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

import leasehold as lh
from leasehold_documents import billing, notifying
from leasehold_documents.errors import TooLate
from tests.documents.flow.engines import Scripted, reading_with
from tests.documents.flow.kit import ALL, Office, colleague

T = TypeVar("T")
MANY = 8


def together(*calls: Callable[[], T]) -> list[T]:
    """Call all of them at the same moment, each in a thread of its own."""
    gate = threading.Barrier(len(calls))

    def wait_and_call(call: Callable[[], T]) -> T:
        gate.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(wait_and_call, calls))


def test_of_equal_files_that_come_together_one_is_the_original(office: Office) -> None:
    rows = together(*[office.add] * MANY)
    originals = [row["id"] for row in rows if row["duplicate_of"] is None]
    assert len(originals) == 1
    assert {row["duplicate_of"] for row in rows} == {None, originals[0]}


def test_two_people_who_agree_together_make_one_job_and_one_reservation(office: Office) -> None:
    found = office.estimate(office.add())
    people = [office.access, colleague(office)] * (MANY // 2)
    jobs = together(*(agreeing(person, found) for person in people))
    assert len(set(jobs)) == 1
    assert office.money() == {"reserve": 2, "book": 0, "refund": 0}
    assert len(office.client.find(kind="extract_document")) == 1


def agreeing(access: Any, found: billing.Estimate) -> Callable[[], object]:
    return lambda: billing.confirm(access, found.extraction_id)


def test_equal_contents_that_are_finished_together_are_charged_once(office: Office) -> None:
    for number in range(MANY):
        office.agree(office.add(f"{number}.pdf"))
    gate = threading.Barrier(MANY)
    with reading_with(Scripted(lambda: gate.wait(30))):
        lh.Worker(office.client, ALL, slots=MANY).run(until_empty=True)
    assert {row["status"] for row in office.rows("extractions")} == {"done"}
    assert office.money() == {"reserve": 2 * MANY, "book": 2, "refund": 2 * (MANY - 1)}
    assert notifying.unread(office.access) == MANY


def test_an_end_and_a_withdrawal_at_once_agree_on_what_is_paid(office: Office) -> None:
    """Whoever is first: it is done and paid, or cancelled and refunded, and never both."""
    for number in range(MANY):
        found = office.estimate(office.add(f"{number}.txt", f"Brief {number}".encode()))
        billing.confirm(office.access, found.extraction_id)
        with reading_with(Scripted()):
            together(office.work, withdrawing(office, found))
            office.work()
        (row,) = office.rows("extractions", id=found.extraction_id)
        entries = office.rows("document_ledger", extraction_id=found.extraction_id)
        kinds = tuple(sorted(entry["entry"] for entry in entries))
        chunks = office.rows("document_chunks", extraction_id=found.extraction_id)
        assert (row["status"], kinds, bool(chunks)) in {
            ("done", ("book", "reserve"), True),
            ("cancelled", ("refund", "reserve"), False),
        }


def withdrawing(office: Office, found: billing.Estimate) -> Callable[[], None]:
    def withdraw() -> None:
        with suppress(TooLate):
            billing.withdraw(office.access, found.extraction_id)

    return withdraw
