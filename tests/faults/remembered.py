"""A memory under kills: what is remembered is the same, wherever its worker dies.

`python -m tests.faults.remembered` is the long form: a process is killed at every single step of
what follows an episode, one after the other, each time in a fresh memory.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import select

import leasehold as lh
from leasehold import testing
from leasehold_memory import tasks
from leasehold_memory.data import versions
from leasehold_memory.data.tables import edge, unit_vector
from leasehold_memory.model.units import UnitKind
from leasehold_memory.opening import open_memory
from leasehold_memory.servers import ModelServer
from leasehold_memory.settings import open_settings
from tests.faults.memory_steps import SAID, Asked, store_episode
from tests.faults.points import Ended, Steps
from tests.memory.deriving.kit import World, use_server

BEFORE = "My sister Emma lives in Osaka. I live in Kyoto. I love music and concerts."


class Remembered(NamedTuple):
    """A unit as it ended."""

    payload_hash: str
    state: str
    versions: int
    evidence: int
    has_vector: bool


class Campaign:
    """A memory that has one episode, copied for each kill; and what it is to come to."""

    def __init__(self, folder: Path, server: ModelServer, steps: Steps) -> None:
        self._folder = folder
        self._server = server
        self._steps = steps
        self._template = folder / "template"
        with self._opened(self._template) as world:
            lh.Worker(world.client, tasks).run(until_empty=True)
            world.say(BEFORE)
            world.work()
        whole = self.run(0)
        self.names = whole.ended.names
        self._wanted = whole.found

    def run(self, point: int) -> Struck:
        """Kill at a point, and let what comes by itself come: leases lapse, jobs are taken back."""
        home = self._folder / str(point)
        shutil.copytree(self._template, home)
        ended = self._steps.ask(Asked(home=str(home), point=point))
        with self._opened(home) as world:
            recover(world)
            found = remembered(world)
            states = {str(job.state) for job in world.client.each()}
        shutil.rmtree(home)
        return Struck(ended, found, states)

    def faults_of(self, point: int) -> list[str]:
        """List what of the promise is broken when it is killed there."""
        struck = self.run(point)
        promised = {
            "it was killed": struck.ended.signal != 0,
            "every job has ended well": struck.states == {"succeeded"},
            "nothing is missing": self._wanted.keys() <= struck.found.keys(),
            "nothing is there twice, or too much": struck.found.keys() <= self._wanted.keys(),
            "it says the same, in as many versions": struck.found == self._wanted,
        }
        told = f"killed at {point}, {struck.ended.names[-1]}"
        return [f"{told}: {name}" for name, is_kept in promised.items() if not is_kept]

    @contextmanager
    def _opened(self, home: Path) -> Iterator[World]:
        settings = open_settings(home)
        use_server(settings, self._server.base_url)
        try:
            with open_memory(home, settings.current().embedding, settings) as memory:
                yield World(memory, self._server)
                memory.embedder.close()
        finally:
            settings.close()


class Struck(NamedTuple):
    """What came of a kill."""

    ended: Ended
    found: dict[Any, Remembered]
    states: set[str]


def recover(world: World) -> None:
    """Let leases lapse; the person, who got no answer, says it again if it is not there."""
    store = world.client.store
    store.skew_seconds += 3600
    store.reclaim([(each, 0.0) for each in store.lapsed(limit=100)])
    if all(each.payload["user_text"] != SAID for each in world.find(UnitKind.EPISODE)):
        store_episode(world.memory)
    testing.advance(world.client, "11s")
    testing.drain(world.client, tasks, raises=True)


def remembered(world: World) -> dict[Any, Remembered]:
    """Return all units by what they are about, whatever their numbers are."""
    with world.memory.database.read() as connection:
        vectors = set(connection.scalars(select(unit_vector.c.unit_id)))
        cited = list(connection.execute(select(edge.c.source_id, edge.c.relation)))
        return {
            (each.kind, each.identity or each.payload["user_text"]): Remembered(
                each.payload_hash,
                each.state,
                len(versions.versions(connection, each.id)),
                sum(source == each.id for source, _ in cited),
                each.id in vectors,
            )
            for kind in UnitKind
            for each in world.find(kind)
        }


@contextmanager
def campaign(folder: Path) -> Iterator[Campaign]:
    """Prepare it."""
    with ModelServer() as server, Steps("tests.faults.memory_steps") as steps:
        yield Campaign(folder, server, steps)


def main() -> int:
    folder = Path(tempfile.mkdtemp(prefix="leasehold-remembered-"))
    stride = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    with campaign(folder) as run:
        points = range(1, len(run.names) + 1, stride)
        broken = [fault for point in points for fault in run.faults_of(point)]
    print(f"killed at {len(points)} of {len(run.names)} steps: {len(broken)} broken")
    for fault in broken:
        print(f"  BROKEN: {fault}")
    shutil.rmtree(folder)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
