"""The requests of tenants in turns, over HTTP: a real `leasehold serve` with few connections.

Whatever a tenant is answered may not hold a word of another one's; each job has its tenant's name
in its arguments, in its batch's name and in what it saw itself.
"""

from __future__ import annotations

import contextlib
import random
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from uuid import uuid4

import httpx

import leasehold as lh
from leasehold.store import open_store
from tests.safety.alternating import TENANTS, THREADS, Tally
from tests.web.serving import served

KIND, OWN_KIND = "alternating.mark", "alternating.own"
Verb: TypeAlias = Callable[["Guest", random.Random], tuple[httpx.Response, set[int]]]
NOT_THEIRS = {404}


@dataclass(slots=True)
class Guest:
    """One tenant's token, and what all have made."""

    name: str
    http: httpx.Client
    known: dict[str, list[str]]
    batches: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in TENANTS})

    def ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        return self.http.request(method, path, **options)

    def pick(self, chance: random.Random) -> tuple[str, str] | None:
        """Choose a job of anybody's; says whose."""
        whose = chance.choice(TENANTS)
        return (whose, chance.choice(self.known[whose])) if self.known[whose] else None


@contextlib.contextmanager
def serving(url: str, size: int) -> Iterator[tuple[str, dict[str, str]]]:
    """Serve a database over so many pooled connections; yields the address and a token of each."""
    with contextlib.closing(open_store(url)) as store:
        client = lh.Client(store=store)
        tokens = {
            name: client.tokens.add(name, scope="operate", tenant=name).secret for name in TENANTS
        }
    words = ("tests.safety.alternating", "--rate", "1000000", "--log-level", "warning")
    program = ("tests.safety.narrow_program", str(size), "serve", "--no-apps")
    with served(url, *words, program=program) as service:
        yield service.address, tokens
        code, _, log = service.end()
    assert code == 0, log


def run_over_http(address: str, tokens: dict[str, str], count: int, *, seed: int = 1) -> Tally:
    """Ask so often, each time as another tenant, from some threads at once."""
    tally = Tally()
    shares = [count // THREADS + (number < count % THREADS) for number in range(THREADS)]
    threads = [
        threading.Thread(target=_ask, args=(address, tokens, tally, share, seed + number))
        for number, share in enumerate(shares)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return tally


def _ask(address: str, tokens: dict[str, str], tally: Tally, count: int, seed: int) -> None:
    chance = random.Random(seed)
    known: dict[str, list[str]] = {name: [] for name in TENANTS}
    with contextlib.ExitStack() as stack:
        guests = [
            Guest(name, stack.enter_context(_client(address, tokens[name])), known)
            for name in TENANTS
        ]
        for number in range(count):
            guest = guests[number % len(guests)]
            verb, ask = chance.choice(VERBS)
            tally.note(verb, guest.name, _strangers(guest, *ask(guest, chance)))


def _client(address: str, token: str) -> httpx.Client:
    headers = {"authorization": f"Bearer {token}"}
    return httpx.Client(base_url=address, headers=headers, timeout=60)


def _strangers(guest: Guest, answer: httpx.Response, expected: set[int]) -> list[str]:
    """Say what of others, or what else than was expected, an answer has."""
    strange = [name for name in TENANTS if name != guest.name and name in answer.text]
    if answer.status_code not in expected:
        strange.append(f"{answer.status_code} {answer.text[:200]}")
    return strange


# -- what is asked ---------------------------------------------------------------------------------
def _enqueue(guest: Guest, chance: random.Random) -> tuple[httpx.Response, set[int]]:
    kind = OWN_KIND if chance.random() < 0.2 else KIND
    job: dict[str, Any] = {"kind": kind, "args": {"tenant": guest.name}}
    if chance.random() < 0.3:  # a key is another one for each tenant
        job |= {"key": f"k{chance.randrange(20)}", "delay": "1h"}
    answer = guest.ask("POST", "/api/jobs", json=job)
    if answer.status_code == httpx.codes.CREATED:
        guest.known[guest.name].append(answer.json()["id"])
    return answer, {200, 201}


def _clash(guest: Guest, chance: random.Random) -> tuple[httpx.Response, set[int]]:
    """An id of another tenant is a conflict, in the middle of a transaction."""
    picked = guest.pick(chance)
    job_id = str(uuid4()) if picked is None else picked[1]
    job = {"kind": "alternating.other", "args": {"tenant": guest.name}, "id": job_id}
    return guest.ask("POST", "/api/jobs", json=job), {409, 201 if picked is None else 409}


def _get(guest: Guest, chance: random.Random) -> tuple[httpx.Response, set[int]]:
    return _on_job(guest, chance, "GET", "")


def _history(guest: Guest, chance: random.Random) -> tuple[httpx.Response, set[int]]:
    return _on_job(guest, chance, "GET", "/history")


def _cancel(guest: Guest, chance: random.Random) -> tuple[httpx.Response, set[int]]:
    return _on_job(guest, chance, "POST", "/cancel", also={409})


def _on_job(
    guest: Guest,
    chance: random.Random,
    method: str,
    verb: str,
    *,
    also: frozenset[int] | set[int] = frozenset(),
) -> tuple[httpx.Response, set[int]]:
    picked = guest.pick(chance)
    whose, job_id = ("", str(uuid4())) if picked is None else picked
    answer = guest.ask(method, f"/api/jobs/{job_id}{verb}", json={} if method == "POST" else None)
    return answer, {200, *also} if whose == guest.name else NOT_THEIRS


def _find(guest: Guest, chance: random.Random) -> tuple[httpx.Response, set[int]]:
    return guest.ask("GET", "/api/jobs", params={"limit": chance.randrange(1, 30)}), {200}


def _results(guest: Guest, chance: random.Random) -> tuple[httpx.Response, set[int]]:
    """What jobs saw in their own transactions, too."""
    return guest.ask("GET", "/api/jobs", params={"limit": 20, "state": "succeeded"}), {200}


def _batch(guest: Guest, chance: random.Random) -> tuple[httpx.Response, set[int]]:
    made = guest.ask("POST", "/api/batches", json={"name": f"of {guest.name}"})
    return (made, {201}) if chance.random() < 0.5 else (guest.ask("GET", "/api/batches"), {200})


def _schedule(guest: Guest, chance: random.Random) -> tuple[httpx.Response, set[int]]:
    job = {"kind": KIND, "args": {"tenant": guest.name}}
    if chance.random() < 0.3:
        said = {"rule": "@yearly", "job": job}
        return guest.ask("PUT", "/api/schedules/same", json=said), {200, 201, 204, 409}
    return guest.ask("GET", "/api/schedules"), {200}


def _throttle(guest: Guest, chance: random.Random) -> tuple[httpx.Response, set[int]]:
    said = {"reason": f"by {guest.name}", "duration": "10ms"}
    if chance.random() < 0.5:
        return guest.ask("POST", "/api/throttles/@own:a.com/pause", json=said), {204}
    return guest.ask("GET", "/api/throttles"), {200}


def _page(guest: Guest, chance: random.Random) -> tuple[httpx.Response, set[int]]:
    """What people see."""
    path = chance.choice(["/jobs", "/batches", "/schedules", "/throttles"])
    return guest.ask("GET", path, headers={"accept": "text/html"}), {200}


def _for_operators(guest: Guest, chance: random.Random) -> tuple[httpx.Response, set[int]]:
    path = chance.choice(["/api/queues", "/api/workers", "/api/shares", "/api/retention"])
    return guest.ask("GET", path), {403}


VERBS: list[tuple[str, Verb]] = [
    *[("get", _get)] * 4,
    *[("find", _find)] * 3,
    *[("enqueue", _enqueue)] * 4,
    ("clash", _clash),
    ("history", _history),
    ("cancel", _cancel),
    ("results", _results),
    ("batch", _batch),
    ("schedule", _schedule),
    *[("throttle", _throttle)] * 2,
    *[("page", _page)] * 2,
    ("operators", _for_operators),
]
