"""A process that is killed while it forgets has done so, or not begun; the rest is finished."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from leasehold_memory.data import entities, units
from leasehold_memory.errors import EntityNotFound
from leasehold_memory.forgetting import finish, forget_person
from leasehold_memory.opening import Memory
from tests.memory.data.kit import say
from tests.memory.forgetting.traces import bytes_with

# Stops at a step, says so, and waits to be killed.
_FORGET = """
import sys, time
from pathlib import Path
from leasehold_memory.forgetting import erasing, forgetting
from leasehold_memory.opening import open_memory
from leasehold_memory.settings import open_settings

home, step, person = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])

def stop(*_, **__):
    print("there", flush=True)
    time.sleep(600)

module, name = {
    "delete": (forgetting, "delete_all"),
    "jobs": (forgetting, "_delete_jobs"),
    "merge": (erasing.text_index, "merge"),
    "log": (erasing, "_empty_log"),
    "note": (forgetting, "note_erased"),
}[step]
setattr(module, name, stop)
settings = open_settings(home)
memory = open_memory(home, settings.current().embedding, settings)
forgetting.forget_person(memory, person)
"""


@pytest.mark.parametrize("step", ["delete", "jobs", "merge", "log", "note"])
def test_a_kill_at_any_step_leaves_nothing_half_forgotten(
    memory: Memory, home: Path, step: str
) -> None:
    with memory.database.write() as connection:
        person = entities.resolve(connection, "person", "Zephyrina")
        episode = say(connection, "Zephyrina called")
        entities.mention(connection, episode, {person: 1.0})
    _kill_at(step, home, person)
    with memory.database.read() as connection:
        left = [each.id for each in units.find(connection).units]
    assert left == ([episode] if step == "delete" else [])
    if step == "delete":
        forget_person(memory, person)
    assert finish(memory)
    assert bytes_with(home, "zephyrina") == {}
    with pytest.raises(EntityNotFound), memory.database.read() as connection:
        entities.get(connection, person)


def _kill_at(step: str, home: Path, person: int) -> None:
    command = [sys.executable, "-c", _FORGET, str(home), step, str(person)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"there\n"
        process.kill()
