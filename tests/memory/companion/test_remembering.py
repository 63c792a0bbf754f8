"""The companion with its real jobs and a real model's server: what is said is remembered."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import select

from leasehold_memory import tasks
from leasehold_memory.companion import Companion
from leasehold_memory.data import units
from leasehold_memory.data.tables import unit_vector
from leasehold_memory.model.units import UnitKind
from leasehold_memory.opening import Memory
from leasehold_memory.servers import ModelServer
from tests.faults.waiting import wait_for

_SECONDS = 60.0


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(key="sk-right") as running:
        yield running


@pytest.fixture
def companion(home: Path) -> Iterator[Companion]:
    started = Companion(home, look_seconds=0.05)
    started.start()
    yield started
    started.close()


def _say(memory: Memory, text: str) -> int:
    now = datetime.now(UTC)
    with memory.database.write_session() as session:
        unit_id = units.save_episode(
            session.connection(), user_text=text, reply_text="うん。", occurred_at=now
        )
        tasks.after_episode(memory, session, unit_id, now=now)
    return unit_id


def _facts(memory: Memory) -> list[units.Unit]:
    with memory.database.read() as connection:
        return list(units.find(connection, kind=UnitKind.FACT).units)


def _use(companion: Companion, server: ModelServer, key: str) -> None:
    preset = {"id": "remote", "name": "Remote", "model": "rules-1", "base_url": server.base_url}
    change = {"model_presets": [{**preset, "api_key": key}], "active_model_preset_id": "remote"}
    companion.change(change)


def test_what_is_said_is_remembered_with_its_evidence_by_the_model_of_this_machine(
    companion: Companion,
) -> None:
    with companion.current() as memory:
        unit_id = _say(memory, "わたしは京都に住んでいます。")
        (fact,) = wait_for("fact", lambda: _facts(memory), _SECONDS)
        assert fact.evidence == (unit_id,)
        assert "京都" in fact.payload["object_text"]


def test_a_refused_key_pauses_what_asks_the_model_alone_and_another_key_lets_it_go_on_at_once(
    companion: Companion, server: ModelServer
) -> None:
    _use(companion, server, "sk-wrong")
    with companion.current() as memory:
        unit_id = _say(memory, "I live in Kyoto.")
        wait_for("reason", lambda: companion.health().reasons == ["llm_auth"], _SECONDS)
        wait_for("vector", lambda: _has_vector(memory, unit_id), _SECONDS)
        assert _facts(memory) == []
        _use(companion, server, "sk-right")
        wait_for("fact", lambda: _facts(memory), _SECONDS)
        assert companion.health().status == "ok"


def _has_vector(memory: Memory, unit_id: int) -> bool:
    with memory.database.read() as connection:
        query = select(unit_vector.c.unit_id).where(unit_vector.c.unit_id == unit_id)
        return connection.scalar(query) is not None
