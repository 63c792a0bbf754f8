"""One home, alive: the active memory, its worker, the check for what is due, and switches."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leasehold_memory import tasks
from leasehold_memory.companion.chores import do_chores
from leasehold_memory.companion.following import Check, Follower
from leasehold_memory.companion.health import Health, pause_reasons, read_backlogs
from leasehold_memory.companion.holding import Holding
from leasehold_memory.companion.switching import Active
from leasehold_memory.companion.working import Tasks, Working
from leasehold_memory.errors import NotStarted
from leasehold_memory.opening import Memory, Models, open_memory
from leasehold_memory.settings import Settings, open_settings
from leasehold_memory.settings.changing import changed, read_change

if TYPE_CHECKING:
    from leasehold_memory.settings import Snapshot

CHECK_SECONDS = 30.0
LOOK_SECONDS = 1.0  # within which a change that another process has made is followed
DRAIN_SECONDS = 5.0


class Companion:
    """Keeps the active preset's memory open, with a worker; follows every change of the settings.

    Several processes may do so for one home: jobs are leased, and what is due is enqueued once.
    """

    def __init__(
        self,
        home: Path,
        *,
        tasks: Tasks = tasks,
        check: Check = do_chores,
        check_seconds: float = CHECK_SECONDS,
        look_seconds: float = LOOK_SECONDS,
        drain_seconds: float = DRAIN_SECONDS,
    ) -> None:
        self.home = home
        self._tasks = tasks
        self._check = check
        self._paces = {"check_seconds": check_seconds, "look_seconds": look_seconds}
        self._drain_seconds = drain_seconds
        self._life: _Life | None = None

    def start(self) -> None:
        """Open the active memory and begin to work; `BadMemory` if it can't be used. Safe twice."""
        if self._life is not None:
            return
        settings = open_settings(self.home)
        models = Models(settings)
        try:
            holding = Holding(partial(open_memory, self.home, settings=settings, models=models))
            active = Active(settings, holding)
        except BaseException:
            settings.close()
            raise
        working = Working(holding, self._tasks, drain_seconds=self._drain_seconds)
        follower = Follower(settings, holding, active, working, self._check, **self._paces)
        self._life = _Life(
            settings=settings,
            models=models,
            holding=holding,
            active=active,
            working=working,
            follower=follower,
        )
        self._thread = self._life.begin()

    def close(self) -> None:
        """Hand back what runs, and close everything. Safe twice."""
        life, self._life = self._life, None
        if life is not None:
            life.end(self._thread)

    @property
    def settings(self) -> Settings:
        """The settings of the home."""
        return self._alive.settings

    @contextmanager
    def current(self, preset_id: str | None = None) -> Iterator[Memory]:
        """Lend the memory of the active preset, or of the one named, until the end of the `with`.

        Who has begun with one ends with it, whatever is switched meanwhile.
        """
        life = self._alive
        if preset_id is None:
            memory = life.active.take()
        else:
            memory = life.holding.take(life.settings.current().embedding_named(preset_id))
        try:
            yield memory
        finally:
            life.holding.give_back(memory)

    def change(self, fields: Any) -> Snapshot:
        """Change the settings as a caller says. A memory that can't be opened is not switched to.

        When it returns, whoever asks for the current memory gets that of the active preset.
        """
        life = self._alive
        said = read_change(fields)
        opened = life.holding.take(changed(life.settings.current(), said).embedding)
        try:
            snapshot = life.settings.change(said)
            life.active.follow()
        finally:
            life.holding.give_back(opened)
        return snapshot

    def health(self) -> Health:
        """Say how it is; takes a look at every memory of the home."""
        life = self._alive
        snapshot = life.settings.current()
        with self.current() as memory:
            reasons = life.follower.reasons | pause_reasons(memory)
            return Health(
                status="degraded" if reasons else "ok",
                reasons=sorted(reasons),
                memory_enabled=snapshot.memory_enabled,
                is_working=life.working.memory is not None,
                active_embedding_preset_id=memory.preset.id,
                backlogs=read_backlogs(self.home, snapshot, memory),
            )

    @property
    def _alive(self) -> _Life:
        if self._life is None:
            raise NotStarted
        return self._life


@dataclass(frozen=True, slots=True, kw_only=True)
class _Life:
    """What there is between start and end."""

    settings: Settings
    models: Models
    holding: Holding
    active: Active
    working: Working
    follower: Follower
    ending: threading.Event = field(default_factory=threading.Event)

    def begin(self) -> threading.Thread:
        """Follow the settings from now on, in the thread that is returned."""
        thread = threading.Thread(
            target=self.follower.run, args=(self.ending,), name="companion", daemon=True
        )
        thread.start()
        return thread

    def end(self, thread: threading.Thread) -> None:
        self.ending.set()
        self.settings.wake()
        thread.join()
        self.holding.close()
        self.models.close()
        self.settings.close()
