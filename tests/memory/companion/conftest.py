"""A home of several presets, a companion that runs there, and tasks that say where they ran."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import leasehold as lh
from leasehold_memory.companion import Companion
from leasehold_memory.opening import memory_of
from leasehold_memory.settings import memory_file, open_settings

PRESETS = ("local", "second", "third")


@lh.task(queue="memory")
def tell() -> str:
    """Say in whose memory it runs."""
    return memory_of(lh.current_job().client).preset.id


class Gate:
    """Holds jobs up until a test lets them go on."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.opened = threading.Event()


GATE = Gate()


@lh.task(queue="memory")
def hold_up() -> str:
    """Say in whose memory it runs, once the gate is open."""
    GATE.entered.set()
    GATE.opened.wait(60)
    return memory_of(lh.current_job().client).preset.id


@pytest.fixture(autouse=True)
def gate() -> Iterator[Gate]:
    GATE.__init__()  # type: ignore[misc]  # a fresh one that the task knows
    yield GATE
    GATE.opened.set()


def add_presets(home: Path, template: Path) -> None:
    """Let all presets be there, with their files."""
    settings = open_settings(home)
    (first,) = settings.current().shown()["embedding_presets"]
    presets = [{**first, "id": preset_id} for preset_id in PRESETS]
    settings.change({"embedding_presets": presets})
    settings.close()
    for preset_id in PRESETS[1:]:
        shutil.copy(template, memory_file(home, preset_id))


Start = Callable[..., Companion]


@pytest.fixture
def start(home: Path, sqlite_template: Path) -> Iterator[Start]:
    """Starts a companion of the home, and closes it at the end."""
    add_presets(home, sqlite_template)
    with ExitStack() as stack:

        def begin(**options: Any) -> Companion:
            given = {
                "tasks": [tell, hold_up],
                "look_seconds": 0.05,
                "drain_seconds": 0.3,
                **options,
            }
            companion = Companion(home, **given)
            companion.start()
            stack.callback(companion.close)
            return companion

        yield begin


@pytest.fixture
def companion(start: Start) -> Companion:
    return start()
