"""A preset's memory is one file: it is checked before it is used, and a job finds its own."""

from __future__ import annotations

import stat
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import insert

import leasehold as lh
from leasehold_memory.data.tables import unit, unit_vector
from leasehold_memory.errors import BadMemory, MemoryClosed
from leasehold_memory.model.presets import EmbeddingPreset
from leasehold_memory.opening import Memory, memory_of, open_memory
from leasehold_memory.settings import Settings


@lh.task(queue="memory")
def name_of_file() -> str:
    return memory_of(lh.current_job().client).file.name


def _other(settings: Settings, preset_id: str) -> EmbeddingPreset:
    return msgspec.structs.replace(settings.current().embedding, id=preset_id)


def test_a_new_preset_gets_a_file_that_only_its_owner_may_read(
    home: Path, settings: Settings
) -> None:
    with open_memory(home, _other(settings, "second"), settings) as memory:
        assert memory.file == home / "memory_second.db"
        assert stat.S_IMODE(memory.file.stat().st_mode) == 0o600
        assert memory.client.url.endswith("memory_second.db")


def test_jobs_of_two_open_memories_find_each_its_own(
    home: Path, settings: Settings, memory: Memory
) -> None:
    with open_memory(home, _other(settings, "second"), settings) as second:
        for each in (memory, second):
            job = each.client.enqueue(name_of_file)
            lh.Worker(each.client, [name_of_file]).run(until_empty=True)
            assert each.client.wait(job, timeout=1) == each.file.name


def test_a_file_that_is_open_twice_is_found_until_both_are_closed(
    home: Path, settings: Settings, memory: Memory
) -> None:
    again = open_memory(home, memory.preset, settings)
    assert memory_of(memory.client) is again
    again.close()
    again.close()
    assert memory_of(memory.client) is memory
    memory.close()
    with pytest.raises(MemoryClosed):
        memory_of(memory.client)


def test_a_file_that_is_no_database_is_refused_and_left_as_it_was(
    home: Path, settings: Settings
) -> None:
    file = home / "memory_bad.db"
    file.write_bytes(b"not a database" * 1000)
    with pytest.raises(BadMemory, match=r"memory_bad\.db"):
        open_memory(home, _other(settings, "bad"), settings)
    assert file.read_bytes() == b"not a database" * 1000


def test_a_folder_in_the_place_of_the_file_is_told(home: Path, settings: Settings) -> None:
    (home / "memory_bad.db").mkdir()
    with pytest.raises(BadMemory, match="directory"):
        open_memory(home, _other(settings, "bad"), settings)


def test_a_file_with_vectors_of_another_length_is_refused(
    home: Path, settings: Settings, memory: Memory
) -> None:
    now = datetime.now(UTC)
    with memory.database.write() as connection:
        row = {"id": 1, "kind": 1, "occurred_at": now, "created_at": now, "updated_at": now}
        connection.execute(insert(unit), row)
        vector = {"unit_id": 1, "dimension": 2, "text_hash": "", "vector": b"12345678"}
        connection.execute(insert(unit_vector), vector)
    with pytest.raises(BadMemory, match="vectors have 2"):
        open_memory(home, memory.preset, settings)
