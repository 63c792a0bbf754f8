"""Rounds of all works and all peers, and what they came to."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from bench.peers.catalogue import WORKS, Peer, PlaceName, Work
from bench.peers.measures import MEASURES, Figures, Sizes
from bench.peers.places import Place
from bench.peers.processes import Adapter, PeerFailedError, is_installed
from bench.peers.ratios import must_show, ratios


class Campaign:
    def __init__(self, places: Mapping[PlaceName, Place], sizes: Sizes) -> None:
        self._places = places
        self._sizes = sizes
        self._peers: dict[Peer, dict[str, Any]] = {}
        self._left_out: list[dict[str, str]] = []

    def admit(self, peers: Iterable[Peer]) -> None:
        """Take in the peers that answer; report the others and go on without them."""
        for peer in peers:
            try:
                versions = self._versions(peer)
            except PeerFailedError as error:
                why = shortened(str(error))
                self._left_out.append({"peer": peer.name, "why": why})
                print(f"left out: {peer.name}: {why}", flush=True)
            else:
                facts = {"title": peer.title, "place": peer.place, "versions": versions}
                self._peers[peer] = {**facts, "works": {}}

    def run_round(self, label: str, codes: Collection[str]) -> None:
        """Measure each work of each peer once: what disturbs the machine strikes all of them."""
        for work in (one for one in WORKS if one.code in codes):
            for peer in (one for one in self._peers if one.place in work.places):
                outcome = self._measure(work, peer)
                print(f"{label} {work.code} {work.title:15} {peer.name:17} {outcome}", flush=True)

    def results(self) -> dict[str, Any]:
        """Return every run, the medians, the ratios."""
        for facts in self._peers.values():
            for done in facts["works"].values():
                done["medians"] = medians(done["runs"])
        found = {
            peer.name: {code: done["medians"] for code, done in facts["works"].items()}
            for peer, facts in self._peers.items()
        }
        return {
            "peers": {peer.name: facts for peer, facts in self._peers.items()},
            "left_out": self._left_out,
            "ratios": ratios(found),
            "must_show": must_show(found),
        }

    def _versions(self, peer: Peer) -> dict[str, str]:
        if peer.place not in self._places:
            raise PeerFailedError("no redis-server program is installed")
        if not is_installed(peer):
            raise PeerFailedError("it is not installed; tools/peers.sh does that")
        with self._places[peer.place].fresh() as url:
            versions: dict[str, str] = Adapter(peer=peer, url=url).ask("versions")
        return versions

    def _measure(self, work: Work, peer: Peer) -> str:
        done = self._peers[peer]["works"].setdefault(work.code, {"runs": [], "errors": []})
        try:
            figures = MEASURES[work.code](peer, self._places[peer.place], self._sizes)
        except PeerFailedError as error:
            done["errors"].append(str(error))
            return f"failed: {error}"
        done["runs"].append(figures)
        return "  ".join(f"{name} {value:,.2f}" for name, value in figures.items())


def shortened(message: str) -> str:
    """Return the line that names the error, of what may be a trace."""
    lines = message.strip().splitlines()
    return next((line for line in reversed(lines) if "Error" in line), lines[-1])


def medians(runs: Sequence[Figures]) -> Figures:
    """Return each figure's median; no figures of no runs."""
    names = runs[0] if runs else {}
    return {name: statistics.median(run[name] for run in runs) for name in names}
