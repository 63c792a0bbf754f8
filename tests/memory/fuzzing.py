"""Schemathesis against memory's API: `python -m tests.memory.fuzzing [URL] [--examples 40]`."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import leasehold as lh
from leasehold_memory import tasks
from leasehold_memory.data import entities, units
from leasehold_memory.opening import open_memory
from leasehold_memory.settings import open_settings
from leasehold_memory.settings.home import VARIABLE
from tests.web.fuzzing import Fuzzed, fuzz_service, fuzzing_command

if TYPE_CHECKING:
    from sqlalchemy import Connection

APPLICATION = ("--app", "leasehold_memory.web:application", "--no-worker", "--no-needs-worker")
# What is of the right shape may still name what is not there, or change what never changes.
LEAVE_OUT = ("positive_data_acceptance",)


def prepare(url: str, home: Path) -> tuple[str, dict[str, list[str]]]:
    """Say a few things; returns a token, and names what is there by path parameters."""
    settings = open_settings(home)
    with open_memory(home, settings.current().embedding, settings) as memory:
        with memory.database.write() as connection:
            said = [_say(connection, number) for number in range(3)]
            people = [entities.resolve(connection, "person", name) for name in ("Emma", "花子")]
            for unit_id in said:
                entities.mention(connection, unit_id, dict.fromkeys(people, 1.0))
        jobs = [memory.client.enqueue(tasks.extract_facts, unit_id).id for unit_id in said]
    settings.close()
    with lh.Client(url) as client:
        client.store.migrate()
        secret = client.tokens.add("fuzzer", scope="admin").secret
    return secret, {
        "preset": ["local"],
        "unit_id": [str(each) for each in said],
        "entity_id": [str(each) for each in people],
        "job_id": [str(each) for each in jobs],
    }


def _say(connection: Connection, number: int) -> int:
    return units.save_episode(
        connection,
        user_text=f"Emma and 花子 like tea number {number}",
        reply_text="I see.",
        occurred_at=datetime.now(UTC),
    )


def fuzz(url: str, *, examples: int) -> Fuzzed:
    """Serve the application and fuzz its API."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, folder)  # for the process that serves
        secret, known = prepare(url, Path(folder))
        return fuzz_service(
            url,
            secret,
            known,
            *APPLICATION,
            examples=examples,
            document="/memory/api/openapi.json",
            leave_out=LEAVE_OUT,
        )


if __name__ == "__main__":
    fuzzing_command(fuzz)()
