"""People are forgotten while others write and work: nobody is refused, and nothing else is lost."""

from __future__ import annotations

import threading

import leasehold as lh
from leasehold_memory.data import units
from leasehold_memory.forgetting import forget_unit
from leasehold_memory.opening import Memory
from tests.faults.waiting import wait_for
from tests.memory.data.kit import say


@lh.task(queue="memory")
def count(unit_id: int) -> int:
    return unit_id


def test_who_writes_and_who_works_meanwhile_is_neither_refused_nor_lost(memory: Memory) -> None:
    with memory.database.write() as connection:
        gone = [say(connection, f"gone {number}") for number in range(3)]
    kept: list[int] = []
    is_over = threading.Event()

    def write() -> None:
        while not is_over.is_set():
            with memory.database.write() as connection:
                kept.append(say(connection, "kept"))
                memory.client.on(connection).enqueue(count, kept[-1])

    writer = threading.Thread(target=write)
    with lh.Worker(memory.client, [count]):
        writer.start()
        forgotten = [forget_unit(memory, each) for each in gone]
        is_over.set()
        writer.join()
        done = wait_for("end of all jobs", lambda: _all_done(memory, len(kept)), 30)
    assert done
    assert [each.units for each in forgotten] == [1] * len(gone)
    with memory.database.read() as connection:
        assert units.find(connection, q="gone").units == []
        assert {each.id for each in units.find(connection, limit=10_000).units} == set(kept)


def _all_done(memory: Memory, jobs: int) -> bool:
    return len(memory.client.find(kind=count, state="succeeded", limit=10_000)) == jobs
