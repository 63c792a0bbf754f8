"""leasehold against each peer, and what we said it must show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bench.peers.catalogue import LEASEHOLD, LEASEHOLD_SQLITE, PEERS, WORKS, counterpart

# Of each peer, of each work, the medians of its figures.
Medians = Mapping[str, Mapping[str, Mapping[str, float]]]


def ratios(medians: Medians) -> list[dict[str, Any]]:
    """Return leasehold / peer for every work that both did; of times, less is better."""
    return [
        {
            "work": work.code,
            "title": work.title,
            "figure": work.figure,
            "leasehold": counterpart(peer).name,
            "peer": peer.name,
            "value": value,
        }
        for work in WORKS
        for peer in PEERS
        if (value := ratio(medians, work.code, counterpart(peer).name, peer.name, work.figure))
    ]


def must_show(medians: Medians) -> list[dict[str, Any]]:
    """Return the lines that take a peer to show; value is None where it was not measured."""
    lines = [
        ("drain, 1 process / graphile-worker", "W3", LEASEHOLD.name, "graphile-worker", 1.75),
        ("drain, 1 process / PgQueuer", "W3", LEASEHOLD.name, "pgqueuer", 4.0),
        ("drain, 2 processes / graphile-worker", "W4", LEASEHOLD.name, "graphile-worker", 1.5),
        ("bulk enqueue / best peer", "W2", LEASEHOLD.name, best_peer(medians, "W2"), 2.0),
        ("SQLite: drain, 1 process / Huey", "W3", LEASEHOLD_SQLITE.name, "huey", 8.0),
        ("SQLite: bulk enqueue / Huey", "W2", LEASEHOLD_SQLITE.name, "huey", 10.0),
    ]
    return [
        {"name": name, "value": ratio(medians, work, ours, peer), "wanted": wanted, "peer": peer}
        for name, work, ours, peer, wanted in lines
    ]


def best_peer(medians: Medians, work: str) -> str | None:
    measured = {
        peer.name: found
        for peer in PEERS
        if (found := figure(medians, peer.name, work, "jobs_per_second")) is not None
    }
    return max(measured, key=lambda name: measured[name], default=None)


def ratio(
    medians: Medians, work: str, ours: str, peer: str | None, name: str = "jobs_per_second"
) -> float | None:
    mine = figure(medians, ours, work, name)
    theirs = figure(medians, peer, work, name) if peer else None
    # A handler that starts before the enqueue call has returned was picked up in no time at all.
    if mine is None or theirs is None or mine <= 0 or theirs <= 0:
        return None
    return mine / theirs


def figure(medians: Medians, peer: str, work: str, name: str) -> float | None:
    return medians.get(peer, {}).get(work, {}).get(name)
