"""How each of W1 to W7 is measured, once."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.peers.catalogue import Peer
from bench.peers.draining import Drain
from bench.peers.machine import wait_until_quiet
from bench.peers.places import Place
from bench.peers.probe import ProbeReader
from bench.peers.processes import Adapter, PeerFailedError

Figures = dict[str, float]

FEWEST_JOBS = 20
# W1 waits for the disk at every job.
SINGLE_SHARE = 0.02
# How long a worker that was just started is given to become idle.
SETTLE_SECONDS = 2.5
START_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is measured; `jobs` is what the fastest peers get."""

    jobs: int
    pick_up_jobs: int
    # How long to wait, before each measurement, for other programs on the machine to be quiet.
    quiet_seconds: float

    def jobs_of(self, peer: Peer) -> int:
        return max(FEWEST_JOBS, round(self.jobs * peer.share))


def single_enqueue(peer: Peer, place: Place, sizes: Sizes) -> Figures:
    jobs = max(FEWEST_JOBS, round(sizes.jobs * SINGLE_SHARE))
    with prepared(peer, place) as adapter:
        wait_until_quiet(sizes.quiet_seconds)
        return {"jobs_per_second": jobs / adapter.ask("enqueue_each", jobs)}


def bulk_enqueue(peer: Peer, place: Place, sizes: Sizes) -> Figures:
    jobs = sizes.jobs_of(peer)
    rates = []
    for size in peer.bulk_sizes:
        with prepared(peer, place) as adapter:
            wait_until_quiet(sizes.quiet_seconds)
            rates.append(jobs / adapter.ask("enqueue_bulk", jobs, size))
    return {"jobs_per_second": max(rates)}


def drain(
    peer: Peer,
    place: Place,
    sizes: Sizes,
    *,
    processes: int = 1,
    is_deep: bool = False,
    is_pinned: bool = False,
) -> Figures:
    jobs = sizes.jobs_of(peer)
    waiting = jobs * peer.depth if is_deep else jobs
    with prepared(peer, place) as adapter, fresh_probe() as probe:
        adapter.ask("enqueue_bulk", waiting, peer.bulk_sizes[0])
        place.settle(adapter.url)
        wait_until_quiet(sizes.quiet_seconds)
        with (
            place.pinned(adapter.url) if is_pinned else nullcontext(),
            place.ledger(adapter.url, peer.unfinished) as ledger,
            adapter.workers(processes, probe) as workers,
        ):
            return Drain(
                jobs=jobs, waiting=waiting, probe=probe, ledger=ledger, workers=workers
            ).run()


def pick_up(peer: Peer, place: Place, sizes: Sizes) -> Figures:
    jobs = sizes.pick_up_jobs
    with prepared(peer, place) as adapter, fresh_probe() as probe:
        wait_until_quiet(sizes.quiet_seconds)
        with adapter.workers(1, probe, prompt=True):
            probe.go()
            time.sleep(SETTLE_SECONDS)
            sent = adapter.ask("pick_up", jobs)
            starts = await_starts(probe, jobs)
    waits = [(start - call) * 1000 for call, start in zip(sent, starts, strict=True)]
    return {
        "p50_ms": statistics.median(waits),
        "p95_ms": percentile(waits, 95),
        "p99_ms": percentile(waits, 99),
    }


MEASURES: Mapping[str, Callable[[Peer, Place, Sizes], Figures]] = {
    "W1": single_enqueue,
    "W2": bulk_enqueue,
    "W3": drain,
    "W4": partial(drain, processes=2),
    "W5": pick_up,
    "W6": partial(drain, is_deep=True),
    "W7": partial(drain, is_pinned=True),
}


@contextmanager
def prepared(peer: Peer, place: Place) -> Iterator[Adapter]:
    """Yield the peer's adapter at a fresh database with the peer's schema in it."""
    with place.fresh() as url:
        adapter = Adapter(peer=peer, url=url)
        adapter.ask("prepare")
        yield adapter


@contextmanager
def fresh_probe() -> Iterator[ProbeReader]:
    # In memory: a handler that writes to a page of a file waits for the disk now and then.
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="leasehold-peers-", dir=memory) as folder:
        yield ProbeReader(Path(folder) / "probe")


def await_starts(probe: ProbeReader, jobs: int) -> list[float]:
    deadline = time.monotonic() + START_SECONDS
    while not all(starts := probe.starts(jobs)):
        if time.monotonic() > deadline:
            started = sum(1 for start in starts if start)
            raise PeerFailedError(f"{started} of {jobs} jobs were picked up")
        time.sleep(0.02)
    return starts


def percentile(values: Sequence[float], percent: int) -> float:
    ordered = sorted(values)
    return ordered[round(percent / 100 * (len(ordered) - 1))]
