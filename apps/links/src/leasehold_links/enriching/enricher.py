"""An enrichment from its link to what is kept of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary, WeakValueDictionary

from leasehold.kit.data import discreet
from leasehold_links.data import knowledge, learning
from leasehold_links.data.knowledge import Known, KnownRobots, Wanted
from leasehold_links.data.learning import Kept, KeptPage, KeptRobots, KeptStatus, KeptVerdict
from leasehold_links.enriching.fetching import Fetching, Stopped, Way
from leasehold_links.enriching.memory import UNREACHABLE_SECONDS, RulesMemory
from leasehold_links.enriching.reading import Answer, read_answer
from leasehold_links.enriching.together import Together
from leasehold_links.model.domains import domain_of
from leasehold_links.model.outcomes import (
    BLOCKED,
    CHALLENGED,
    NOTHING_THERE,
    TOO_MANY_REDIRECTS,
    Verdict,
)
from leasehold_links.pages.robots import Rules
from leasehold_links.settings import Settings, settings

if TYPE_CHECKING:
    from uuid import UUID

    from sqlalchemy import Connection

    from leasehold.fetching import Resolver
    from leasehold.kit.data import Database

Question = TypeVar("Question")
Answered = TypeVar("Answered")
_GOOD = range(200, 300)


class Enricher:
    """Enriches links of one database on one event loop. Shared by all jobs there."""

    def __init__(
        self, database: Database, said: Settings, *, resolver: Resolver | None = None
    ) -> None:
        self.said = said
        self._agent = said.agent
        self._fetching = Fetching(said, resolver)
        self._memory = RulesMemory()
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._wanted: Together[Wanted, Known | None] = _reading(database, knowledge.load)
        self._robots: Together[str, KnownRobots | None] = _reading(database, knowledge.load_robots)
        self._kept: Together[Kept, Verdict] = _writing(database, learning.keep)

    async def run(self, canonical_id: UUID, turn: str, url: str | None, hops: int) -> Verdict:
        """Fetch a link and keep what it says; tells what is to become of its job.

        `OtherTurn` when it goes on elsewhere: then nothing is kept.
        """
        domain = domain_of(turn)
        known = await self._wanted.ask(Wanted(canonical_id, domain))
        if known is None:
            return NOTHING_THERE
        if known.is_blocked:
            return await self._keep_verdict(known, domain, BLOCKED)
        way = Way(turn, hops, self._agent, self._rules_of)
        try:
            answer = await self._fetching.get_page(url or known.url, way)
        except Stopped as stopped:
            return await self._keep_verdict(known, domain, stopped.verdict)
        return await self._keep_answer(known, domain, answer)

    async def _keep_answer(self, known: Known, domain: str, answer: Answer) -> Verdict:
        head = answer.head
        found = await read_answer(answer)
        if found is None:
            return await self._keep_verdict(known, domain, CHALLENGED, head.status)
        if head.next_url is not None:
            return await self._keep_verdict(known, domain, TOO_MANY_REDIRECTS, head.status)
        if head.status not in _GOOD:
            after = head.headers.get("retry-after")
            return await self._kept.ask(KeptStatus(known.id, domain, head.status, after, _now()))
        kept = KeptPage(known.id, found, head.url, head.status, answer.content_type, _now())
        return await self._kept.ask(kept)

    async def _keep_verdict(
        self, known: Known, domain: str, verdict: Verdict, status: int | None = None
    ) -> Verdict:
        return await self._kept.ask(KeptVerdict(known.id, domain, verdict, status, _now()))

    # -- the rules of sites ------------------------------------------------------------------------
    async def _rules_of(self, url: str, turn: str) -> Rules:
        """Return a site's robots.txt, asked for once a day; inside of the domain's turn."""
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        known = self._memory.get(origin)
        if known is not None:
            return known
        # Two links of one site that come together ask once.
        async with self._asking.setdefault(origin, asyncio.Lock()):
            return self._memory.get(origin) or await self._find_rules(origin, turn)

    async def _find_rules(self, origin: str, turn: str) -> Rules:
        verdict = self._memory.why_unreachable(origin)
        if verdict is not None:
            raise Stopped(verdict)
        found = await self._robots.ask(origin)
        seconds = 0.0 if found is None else (found.until - _now()).total_seconds()
        if found is None or seconds <= 0:
            return await self._ask_rules(origin, turn)
        rules = Rules(found.rules)
        self._memory.keep(origin, rules, seconds)
        return rules

    async def _ask_rules(self, origin: str, turn: str) -> Rules:
        try:
            rules = await self._fetching.get_rules(origin, turn)
        except Stopped as stopped:
            self._memory.keep(origin, stopped.verdict, UNREACHABLE_SECONDS)
            raise
        await self._kept.ask(KeptRobots(origin, rules.status, rules.text, _now()))
        self._memory.keep(origin, rules, knowledge.REMEMBERED.total_seconds())
        return rules


def _reading(
    database: Database,
    look: Callable[[Connection, Sequence[Question], datetime], Sequence[Answered]],
) -> Together[Question, Answered]:
    def answer_all(questions: Sequence[Question]) -> Sequence[Answered]:
        with discreet(), database.read() as connection:
            return look(connection, questions, _now())

    return Together(answer_all)


def _writing(
    database: Database, change: Callable[[Connection, Sequence[Question]], Sequence[Answered]]
) -> Together[Question, Answered]:
    def answer_all(changes: Sequence[Question]) -> Sequence[Answered]:
        with discreet(), database.write() as connection:
            return change(connection, changes)

    return Together(answer_all)


def _now() -> datetime:
    return datetime.now(UTC)


# One for each event loop: what is asked together is asked on one.
_enrichers: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Database, Enricher]] = (
    WeakKeyDictionary()
)


def enricher_of(database: Database) -> Enricher:
    """Return the enricher of a database on the running loop."""
    own = _enrichers.setdefault(asyncio.get_running_loop(), {})
    found, said = own.get(database), settings()
    if found is None or found.said != said:  # a demo has begun or ended
        found = own[database] = Enricher(database, said)
    return found
