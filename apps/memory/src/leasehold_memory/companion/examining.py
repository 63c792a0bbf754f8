"""What `leasehold-memory doctor` finds: settings, memories, the embedder and the model."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from typing import TYPE_CHECKING

import httpx
import msgspec
from sqlalchemy import func, select, text

import leasehold as lh
from leasehold_memory.companion.health import pause_reasons, read_backlog
from leasehold_memory.data.tables import unit
from leasehold_memory.errors import MemoryAppError, ModelFailed, ModelRefusedRequest
from leasehold_memory.llm.wire import (
    address,
    check_status,
    client_options,
    credentials,
    told_plainly,
)
from leasehold_memory.model.presets import EmbeddingPreset, Provider
from leasehold_memory.opening import Memory, Models, open_memory
from leasehold_memory.settings import memory_file

if TYPE_CHECKING:
    from leasehold_memory.settings import Settings

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One line; `level` is ok, warning or problem."""

    level: str
    topic: str
    message: str


def examine(settings: Settings) -> Iterator[Finding]:
    """Look at all of a home; one memory that is broken hides no other."""
    models = Models(settings)
    try:
        yield _settings(settings)
        yield _rights(settings)
        for preset in settings.current().embedding_presets:
            yield from _memory(settings, models, preset)
        yield _embedder(settings, models)
        yield _model(settings, models)
    finally:
        models.close()


def _settings(settings: Settings) -> Finding:
    if not settings.current().memory_enabled:
        return _warning("settings", "memory is disabled: chats are not remembered")
    return _ok("settings", f"revision {settings.revision}")


def _rights(settings: Settings) -> Finding:
    """Others who may look into the folder may still not read its files, unless those let them."""
    readable = [
        file.name
        for file in settings.home.glob("*.db*")
        if file.stat().st_mode & _OTHERS and not file.name.endswith("-lock")
    ]
    if settings.home.stat().st_mode & _OTHERS and readable:
        named = ", ".join(sorted(readable))
        return _warning("files", f"others of this machine may read {named}: chmod 600 them")
    return _ok("files", "only their owner may read them")


def _memory(settings: Settings, models: Models, preset: EmbeddingPreset) -> Iterator[Finding]:
    topic = f"memory {preset.id}"
    is_active = preset == settings.current().embedding
    if not memory_file(settings.home, preset.id).exists():
        yield _ok(topic, "not begun yet")
        return
    try:
        with open_memory(settings.home, preset, settings, models=models) as memory:
            yield from _inside(memory, topic, is_active=is_active)
    except lh.LeaseholdError as error:
        yield _problem(topic, str(error))


def _inside(memory: Memory, topic: str, *, is_active: bool) -> Iterator[Finding]:
    with memory.database.read() as connection:
        checked = connection.scalar(text("PRAGMA quick_check(1)"))
        number = connection.scalar(select(func.count()).select_from(unit))
    if checked != "ok":
        yield _problem(topic, f"the file is damaged: {checked}")
    backlog = read_backlog(memory.client, memory.preset.id, is_active=is_active)
    told = f"{number} memories, {backlog.waiting} jobs wait, {backlog.running} run"
    yield _ok(topic, told if is_active else f"{told}; it is not active")
    if backlog.failed:
        yield _warning(
            topic, f"{backlog.failed} jobs failed for good in the last day: see its jobs"
        )
    for reason in sorted(pause_reasons(memory)):
        yield _warning(topic, f"jobs are paused: {reason}")


def _embedder(settings: Settings, models: Models) -> Finding:
    preset = settings.current().embedding
    try:
        models.embedder(preset).embed(["hello"])
    except MemoryAppError as error:
        return _problem("embedder", f"{preset.id}: {error}")
    return _ok("embedder", f"{preset.id} makes vectors of {preset.dimension} numbers")


def _model(settings: Settings, models: Models) -> Finding:
    """Ask the server which models it has: it costs nothing, and shows whether the key is right."""
    preset = models.llm().preset
    named = f"{preset.id} ({preset.model})"
    try:
        with told_plainly(), httpx.Client(**client_options(preset)) as client:
            answer = client.get(address(preset, "/models"), headers=credentials(preset))
            check_status(answer.status_code, answer.headers)
    except ModelRefusedRequest:
        pass  # some servers have no such list; it answers, and knows the key
    except ModelFailed as error:
        return _problem("model", f"{named}: {error}")
    if settings.current().model.provider is Provider.LOCAL:
        return _ok("model", f"{named}: the one of this machine, by rules; no key is needed")
    return _ok("model", f"{named}: its server answers")


def _ok(topic: str, message: str) -> Finding:
    return Finding(level="ok", topic=topic, message=message)


def _warning(topic: str, message: str) -> Finding:
    return Finding(level="warning", topic=topic, message=message)


def _problem(topic: str, message: str) -> Finding:
    return Finding(level="problem", topic=topic, message=message)
