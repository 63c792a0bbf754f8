"""Presets are switched under load: nothing is lost or crosses files, and no chat is refused.

`python -m tests.faults.switched` is the long form: `run.py` in a process of its own, chats over
HTTP, 50 switches between three memories while jobs run. Each chat says something of its own, so
that what is derived from it can be told apart wherever it is.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

import httpx
from sqlalchemy import text

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_memory.servers import ServerProcess
from leasehold_memory.settings import memory_file, open_settings
from leasehold_memory.settings.home import url_of
from tests.faults.waiting import wait_for
from tests.memory.cli.kit import Served, say, serve

PRESETS = ("local", "second", "third")
KINDS = (
    "reflect_episode",
    "extract_entities",
    "extract_facts",
    "extract_loops",
    "upsert_embeddings",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How often is switched, and by how many is talked meanwhile."""

    switches: int
    chatters: int
    between_seconds: float = 0.3
    model_seconds: float = 0.05  # that each answer takes, so that jobs run when it is switched
    limit_seconds: float = 600.0


@dataclass(slots=True, kw_only=True)
class Result:
    """What became of all that was said."""

    switches: int = 0
    slowest_switch_seconds: float = 0.0
    chats: int = 0
    refused: list[str] = field(default_factory=list)  # why chats were not answered whole
    lost_episodes: int = 0  # that are not where the answer said
    lost_jobs: int = 0  # of an episode, that never were or have not ended well
    failed_jobs: list[str] = field(default_factory=list)  # what each died of
    lost_facts: int = 0  # episodes of which nothing is known
    crossed: int = 0  # memories of what was said in another file
    used: int = 0  # files that something was said to
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Chats:
    """What was said, and where the companion says that it is."""

    said: dict[tuple[str, int], str] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)


class Campaign:
    """A companion in a process of its own, who is talked to and switched."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self._home = folder / "home"
        self._plan = plan
        self._result = Result()
        self._chats = Chats()
        self._is_over = threading.Event()

    def run(self) -> Result:
        """Talk and switch; then let each memory be worked off, and look into all of them."""
        began = time.monotonic()
        with ExitStack() as stack:
            model = stack.enter_context(ServerProcess(delay=self._plan.model_seconds))
            _prepare(self._home, model.base_url)
            served = stack.enter_context(serve(self._home))
            self._switch_under_load(served)
            self._work_off(served)
        for preset_id in PRESETS:
            self._examine(preset_id)
        self._result.chats = len(self._chats.said) + len(self._chats.refused)
        self._result.refused = self._chats.refused
        self._result.seconds = round(time.monotonic() - began, 1)
        return self._result

    def _switch_under_load(self, served: Served) -> None:
        chatters = [
            threading.Thread(target=self._chat, args=(served, number))
            for number in range(self._plan.chatters)
        ]
        for chatter in chatters:
            chatter.start()
        try:
            with served.http() as http:
                for preset_id in itertools.islice(_other_presets(), self._plan.switches):
                    self._switch(http, preset_id)
                    self._is_over.wait(self._plan.between_seconds)
        finally:
            self._is_over.set()
            for chatter in chatters:
                chatter.join()

    def _switch(self, http: httpx.Client, preset_id: str) -> None:
        began = time.monotonic()
        change = {"active_embedding_preset_id": preset_id}
        answer = http.put("/api/settings", json=change)
        took = time.monotonic() - began
        assert answer.status_code == httpx.codes.OK, answer.text
        self._result.switches += 1
        slowest = max(self._result.slowest_switch_seconds, took)
        self._result.slowest_switch_seconds = round(slowest, 3)

    def _chat(self, served: Served, chatter: int) -> None:
        with served.http() as http:
            for number in itertools.count():
                if self._is_over.is_set():
                    return
                thing = f"thing{chatter}x{number}"
                try:
                    done = say(http, f"I like {thing}.")
                except (httpx.HTTPError, ValueError) as error:
                    self._chats.refused.append(repr(error))
                else:
                    self._chats.said[done["preset_id"], done["unit_id"]] = thing

    def _work_off(self, served: Served) -> None:
        with served.http() as http:
            for preset_id in PRESETS:
                self._switch(http, preset_id)
                self._result.switches -= 1  # this one is under no load
                with lh.Client(url_of(memory_file(self._home, preset_id))) as client:
                    wait_for(
                        f"end of the jobs of {preset_id}",
                        partial(_is_idle, client),
                        self._plan.limit_seconds,
                    )

    def _examine(self, preset_id: str) -> None:
        expected = {
            unit: said for (where, unit), said in self._chats.said.items() if where == preset_id
        }
        with closing(Database(url_of(memory_file(self._home, preset_id)))) as database:
            found = _look(database)
        result = self._result
        result.used += bool(expected)
        result.lost_episodes += sum(
            found.episodes.get(unit) != said for unit, said in expected.items()
        )
        result.crossed += len(found.episodes.keys() - expected.keys())
        result.crossed += sum(said != expected.get(unit) for unit, said in found.facts)
        known = {unit for unit, _ in found.facts}
        result.lost_facts += len(expected.keys() - known)
        wanted = {(kind, unit) for kind in KINDS for unit in expected}
        result.lost_jobs += len(wanted - found.done)
        result.failed_jobs += found.failed


@dataclass(frozen=True, slots=True)
class Found:
    """What is in one file."""

    episodes: dict[int, str]
    facts: set[tuple[int, str]]  # what is known, and the episode that speaks for it
    done: set[tuple[str, int]]
    failed: list[str]


def _look(database: Database) -> Found:
    episodes = "SELECT unit_id, user_text FROM payload_episode"
    facts = (
        "SELECT edges.target_id, payload_fact.object_text FROM payload_fact"
        " JOIN edges ON edges.source_id = payload_fact.unit_id AND edges.relation = 'evidence'"
    )
    done = "SELECT kind, json_extract(payload, '$.unit_id') FROM jobs WHERE status = 2"
    failed = (  # not one in whose place a newer one stands, which is judged by its own end
        "SELECT kind, tries, last_error FROM jobs WHERE status = 3 AND NOT EXISTS"
        " (SELECT 1 FROM jobs AS newer WHERE jobs.last_error = 'replaced by job ' || newer.id)"
    )
    with database.read() as connection:
        return Found(
            {
                unit: said.removeprefix("I like ").removesuffix(".")
                for unit, said in connection.execute(text(episodes))
            },
            {(unit, said) for unit, said in connection.execute(text(facts))},
            {(kind, unit) for kind, unit in connection.execute(text(done))},
            [
                f"{kind}, failed {tries} times: {error}"
                for kind, tries, error in connection.execute(text(failed))
            ],
        )


def _prepare(home: Path, base_url: str) -> None:
    settings = open_settings(home)
    (first,) = settings.current().shown()["embedding_presets"]
    model = {"id": "remote", "name": "Remote", "model": "rules-1", "base_url": base_url}
    settings.change(
        {
            "embedding_presets": [{**first, "id": preset_id} for preset_id in PRESETS],
            "model_presets": [model],
            "active_model_preset_id": "remote",
        }
    )
    settings.close()


def _other_presets() -> Iterator[str]:
    """Go round, and back and forth: some are left and come back to within a second."""
    return itertools.cycle(("second", "local", "second", "third", "local", "third"))


def _is_idle(client: lh.Client) -> bool:
    """Count: what health shows may be a sample of half a minute ago where counting is slow."""
    return not any(
        each.ready + each.blocked + each.scheduled + each.failed + each.running + each.parked
        for each in client.counts()
    )


def faults_of(plan: Plan, result: Result) -> list[str]:
    """List what of the promise was broken."""
    promised = {
        "all switches were made": result.switches == plan.switches,
        "every file was used": result.used == len(PRESETS),
        "no chat is refused": not result.refused,
        "no episode is lost": result.lost_episodes == 0,
        "no job is lost": result.lost_jobs == 0 and not result.failed_jobs,
        "all is remembered": result.lost_facts == 0,
        "nothing crosses files": result.crossed == 0,
    }
    return [name for name, is_kept in promised.items() if not is_kept]


def main() -> int:
    plan = Plan(switches=50, chatters=4)
    with tempfile.TemporaryDirectory(prefix="leasehold-switched-") as folder:
        result = Campaign(Path(folder), plan).run()
    print(plan)
    for name, value in asdict(result).items():
        print(f"  {name}: {value}")
    broken = faults_of(plan, result)
    for name in broken:
        print(f"  BROKEN: {name}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
