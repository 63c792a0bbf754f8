"""A switch never crosses files, never refuses a chat, and is followed without a restart."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import leasehold as lh
from leasehold_memory.companion import Companion
from leasehold_memory.errors import BadMemory, NotStarted
from leasehold_memory.opening import Memory
from leasehold_memory.settings import memory_file, open_settings
from leasehold_memory.settings.home import url_of
from tests.faults.waiting import wait_for
from tests.memory.companion.conftest import Gate, Start, hold_up, tell


def _switch(companion: Companion, preset_id: str) -> None:
    companion.change({"active_embedding_preset_id": preset_id})


def _tells(companion: Companion) -> str:
    with companion.current() as memory:
        return memory.client.wait(memory.client.enqueue(tell), timeout=30)


def test_the_worker_follows_a_switch_by_itself(companion: Companion) -> None:
    assert _tells(companion) == "local"
    for preset_id in ("second", "third", "local"):
        _switch(companion, preset_id)
        assert _tells(companion) == preset_id


def test_a_switch_of_another_process_is_followed_too(companion: Companion, home: Path) -> None:
    other = open_settings(home)
    other.change({"active_embedding_preset_id": "second"})
    other.close()

    def is_there() -> bool:
        with companion.current() as memory:
            return memory.preset.id == "second"

    wait_for("switch", is_there, 30)
    assert _tells(companion) == "second"


def test_only_the_active_memory_is_worked_at(companion: Companion, home: Path) -> None:
    with lh.Client(url_of(memory_file(home, "second"))) as other:
        waiting = other.enqueue(tell)
        assert _tells(companion) == "local"
        assert other.get(waiting.id).state is lh.State.QUEUED
        _switch(companion, "second")
        assert other.wait(waiting, timeout=30) == "second"


def test_a_chat_that_began_on_the_old_file_ends_there(companion: Companion) -> None:
    with companion.current() as old:
        _switch(companion, "second")
        assert _tells(companion) == "second"
        with old.database.write() as connection:
            old.client.on(connection).enqueue(tell)
        assert old.client.counts()[0].ready == 1
        with companion.current() as new:
            assert (old.preset.id, new.preset.id) == ("local", "second")


def test_a_job_that_ends_within_the_drain_ends_in_its_own_file(start: Start, gate: Gate) -> None:
    companion = start(drain_seconds=30)
    with companion.current() as old:
        job = old.client.enqueue(hold_up)
        assert gate.entered.wait(30)
        _switch(companion, "second")
        gate.opened.set()
        assert old.client.wait(job, timeout=30) == "local"


def test_a_job_that_takes_longer_is_handed_back_uncharged_and_done_after_a_switch_back(
    start: Start, gate: Gate
) -> None:
    companion = start(drain_seconds=2.0)  # of which a busy machine may lose a good part
    with companion.current() as old:
        job = old.client.enqueue(hold_up)
        assert gate.entered.wait(30)
        _switch(companion, "second")
        wait_for("hand-back", lambda: old.client.get(job.id).state is lh.State.QUEUED, 30)
        assert _tells(companion) == "second"
        gate.opened.set()
        assert old.client.get(job.id).state is lh.State.QUEUED
        _switch(companion, "local")
        assert old.client.wait(job, timeout=30) == "local"
        assert old.client.get(job.id).failures == 0


def test_a_file_that_can_not_be_opened_is_not_switched_to_and_nothing_is_changed(
    companion: Companion, home: Path
) -> None:
    presets = companion.settings.current().shown()["embedding_presets"]
    memory_file(home, "broken").write_bytes(b"no database" * 1000)
    companion.change({"embedding_presets": [*presets, {**presets[0], "id": "broken"}]})
    before = companion.settings.current()
    with pytest.raises(BadMemory):
        _switch(companion, "broken")
    assert companion.settings.current() == before
    assert _tells(companion) == "local"
    assert companion.health().status == "ok"


def test_a_file_that_another_process_switches_to_in_vain_is_told_and_the_old_one_goes_on(
    companion: Companion, home: Path
) -> None:
    file = memory_file(home, "second")
    kept = file.read_bytes()
    file.write_bytes(b"no database" * 1000)
    other = open_settings(home)
    other.change({"active_embedding_preset_id": "second"})
    other.close()
    wait_for("reason", lambda: "preset_unusable" in companion.health().reasons, 30)
    assert _tells(companion) == "local"
    file.write_bytes(kept)
    wait_for("recovery", lambda: companion.health().status == "ok", 30)
    assert _tells(companion) == "second"


def test_a_new_key_of_the_active_preset_is_followed_in_the_same_file(companion: Companion) -> None:
    presets = companion.settings.current().shown()["embedding_presets"]
    with companion.current() as old:
        companion.change({"embedding_presets": [{**presets[0], "name": "Renamed"}, *presets[1:]]})
        with companion.current() as new:
            assert new is not old
            assert new.file == old.file
            assert new.preset.name == "Renamed"
    assert _tells(companion) == "local"


def test_all_who_ask_at_once_for_a_memory_that_was_never_opened_get_the_same(
    companion: Companion, home: Path
) -> None:
    memory_file(home, "third").unlink()
    together = threading.Barrier(6)

    def ask(_number: int) -> Memory:
        together.wait(30)
        with companion.current("third") as memory:
            together.wait(30)
            return memory

    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(ask, range(6)))) == 1


def test_memories_that_nobody_uses_are_closed(companion: Companion) -> None:
    with companion.current("second") as memory:
        assert memory.preset.id == "second"
    held = companion._alive.holding._held
    wait_for("closing", lambda: [preset.id for preset in held] == ["local"], 30)


def test_who_still_has_a_memory_at_the_end_gives_it_back_without_harm(start: Start) -> None:
    companion = start()
    with companion.current() as memory:
        companion.close()
    assert memory.preset.id == "local"


def test_before_its_start_and_after_its_end_there_is_no_memory(start: Start, home: Path) -> None:
    companion = start()
    companion.close()
    companion.close()
    for each in (companion, Companion(home)):
        with pytest.raises(NotStarted), each.current():
            pass
