"""Rotation under load: keys change, re-encryption and workers are killed at random, no job fails.

    python -m tests.safety.rotations URL [ROUNDS] [SEED]

Each round adds a key, lets it encrypt, and starts `leasehold keyring reencrypt`, which is killed
after a random time, again and again, before it may end; then the old key is retired. Two workers
run jobs all the while; one of them is killed, too, and started again.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leasehold.client import Client
from leasehold.errors import KeyInUse
from leasehold.model.states import State
from leasehold.sealing.keyring import Keyring
from tests.safety.rotation_tasks import charge

if TYPE_CHECKING:
    from collections.abc import Iterator
    from uuid import UUID

PATIENCE_SECONDS = 90.0
MOST_WAITING = 200
PAUSE_SECONDS = 0.002  # between two enqueues
Kills = Callable[[], list[float]]  # after how many seconds each
_CLI = (sys.executable, "-m", "leasehold.cli")


@dataclass(slots=True)
class Figures:
    """What a campaign did."""

    jobs: int = 0
    rounds: int = 0
    kills: int = 0
    worker_kills: int = 0
    refusals: int = 0  # of a retirement that came too early
    ends: dict[str, int] = field(default_factory=dict)


class Producer:
    """Enqueues, as fast as the workers run, until it is told to stop."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="producer")
        self.made: dict[UUID, str] = {}
        self.error: BaseException | None = None

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()

    def _serve(self) -> None:
        try:
            while not self._stopped.wait(PAUSE_SECONDS):
                card = f"4711 {len(self.made)}"
                self.made[self._client.enqueue(charge, card).id] = card
                if len(self.made) % 50 == 0:
                    self._let_them_catch_up()
        except BaseException as error:  # noqa: BLE001 - told by the campaign
            self.error = error

    def _let_them_catch_up(self) -> None:
        while sum(each.ready for each in self._client.counts()) > MOST_WAITING:
            if self._stopped.wait(0.05):
                return


class Workers:
    """Two processes; one may be killed and comes back."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._environment = environment
        self._processes = [self._start() for _ in range(2)]

    def kill_one(self) -> None:
        victim = self._processes.pop(0)
        victim.kill()
        victim.wait()
        self._processes.append(self._start())

    def close(self) -> None:
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.wait(PATIENCE_SECONDS)

    def _start(self) -> subprocess.Popen[bytes]:
        words = ["work", "tests.safety.rotation_tasks", "--log-level", "error"]
        return subprocess.Popen([*_CLI, *words], env=self._environment)


def run(url: str, *, rounds: int, kills: int, seed: int, kills_workers: bool = True) -> Figures:
    """Run a campaign on a store that is empty; raises where a promise is broken."""
    chance = random.Random(seed)
    figures = Figures()

    def after() -> list[float]:
        return [chance.uniform(0.2, 1.5) for _ in range(kills)]

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        Keyring.generate().save(folder / "keys.json")
        keyring = Keyring.read(folder / "keys.json")
        client = stack.enter_context(Client(url, keyring=keyring))
        client.store.migrate()
        environment = os.environ | {"LEASEHOLD_URL": url, "LEASEHOLD_KEYS": str(keyring.file)}
        workers = Workers(environment)
        stack.callback(workers.close)
        producer = Producer(client)
        producer.start()
        try:
            for number in range(rounds):
                _rotate(client, keyring, environment, after, figures)
                figures.rounds += 1
                if kills_workers and number % 2 == 0:
                    workers.kill_one()
                    figures.worker_kills += 1
        finally:
            producer.stop()
        if producer.error is not None:
            raise producer.error
        _check(client, keyring, producer.made, figures)
    return figures


def _rotate(
    client: Client, keyring: Keyring, environment: dict[str, str], kills: Kills, figures: Figures
) -> None:
    old = keyring.document.active
    keyring.activate(keyring.add())
    for seconds in kills():
        _kill_amid([*_CLI, "keyring", "reencrypt"], environment, seconds)
        figures.kills += 1
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        subprocess.run([*_CLI, "keyring", "reencrypt"], env=environment, check=True, stdout=-3)
        try:
            return client.encryption.retire(old)
        except KeyInUse:  # a process had not heard of the new key yet
            figures.refusals += 1
            assert time.monotonic() < deadline, f"{old} could not be retired"


def _kill_amid(words: list[str], environment: dict[str, str], seconds: float) -> None:
    """Kill a program after a time, or after less when it has ended by then."""
    while True:
        process = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return
        seconds *= 0.7


def _check(client: Client, keyring: Keyring, made: dict[UUID, str], figures: Figures) -> None:
    """See that each job has succeeded, says what it should, and needs the last key only."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while any(_live(client)):
        assert time.monotonic() < deadline, "jobs did not end"
        time.sleep(0.05)
    figures.jobs = len(made)
    for job in client.each(page=1_000):
        figures.ends[job.state.value] = figures.ends.get(job.state.value, 0) + 1
        assert job.state is State.SUCCEEDED, client.reveal(job.id)
    for job_id, card in made.items():
        assert client.reveal(job_id).result == f"charged {card}"
    client.encryption.reencrypt()
    used = {each.id for each in client.encryption.keys(count=True) if each.rows}
    assert used == {keyring.document.active}, used
    assert list(keyring.document.keys) == [keyring.document.active]


def _live(client: Client) -> Iterator[int]:
    for each in client.counts():
        yield each.ready + each.scheduled + each.failed + each.running + each.parked + each.blocked


def main() -> None:
    url, *rest = sys.argv[1:]
    rounds = int(rest[0]) if rest else 10
    seed = int(rest[1]) if len(rest) > 1 else random.randrange(10**6)
    print(f"seed {seed}", flush=True)
    figures: Any = run(url, rounds=rounds, kills=4, seed=seed)
    print(figures)


if __name__ == "__main__":
    main()
