"""An enrichment from its link to what is kept of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary, WeakValueDictionary

from leasehold_links.data import knowledge
from leasehold_links.data.database import discreet
from leasehold_links.data.knowledge import (
    Kept,
    KeptPage,
    KeptRobots,
    KeptVerdict,
    Known,
    KnownRobots,
    Wanted,
)
from leasehold_links.enriching.fetching import Fetching, Stopped, Way
from leasehold_links.enriching.memory import UNREACHABLE_SECONDS, RulesMemory
from leasehold_links.enriching.reading import Answer, read_answer
from leasehold_links.enriching.together import Together
from leasehold_links.model.domains import domain_of
from leasehold_links.model.outcomes import (
    BLOCKED,
    CHALLENGED,
    ENRICHED,
    NOTHING_THERE,
    TOO_MANY_REDIRECTS,
    Past,
    Reason,
    Step,
    Verdict,
    judge_robots,
    judge_status,
)
from leasehold_links.pages.robots import Rules, read_rules
from leasehold_links.settings import Settings, settings

if TYPE_CHECKING:
    from uuid import UUID

    from sqlalchemy import Connection

    from leasehold.fetching import Resolver
    from leasehold_links.data.database import Database

Question = TypeVar("Question")
Answered = TypeVar("Answered")
_FOUND = 200


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
        self._past: Together[Wanted, Past] = _reading(database, knowledge.load_past)
        self._robots: Together[str, KnownRobots | None] = _reading(database, knowledge.load_robots)
        self._kept: Together[Kept, None] = _writing(database, knowledge.keep)

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
        verdict = await self._judge(known, domain, answer)
        if verdict is not ENRICHED:
            return await self._keep_verdict(known, domain, verdict, head.status)
        kept = KeptPage(known.id, found, head.url, head.status, answer.content_type, _now())
        await self._kept.ask(kept)
        return ENRICHED

    async def _judge(self, known: Known, domain: str, answer: Answer) -> Verdict:
        status = answer.head.status
        past = await self._past.ask(Wanted(known.id, domain)) if status >= 400 else None  # noqa: PLR2004 - errors
        return judge_status(
            status,
            retry_after=answer.head.headers.get("retry-after"),
            past=past or Past(),
            now=_now(),
        )

    async def _keep_verdict(
        self, known: Known, domain: str, verdict: Verdict, status: int | None = None
    ) -> Verdict:
        await self._kept.ask(KeptVerdict(known.id, domain, verdict, status, _now()))
        return verdict

    # -- the rules of sites ------------------------------------------------------------------------
    async def _rules_of(self, url: str) -> Rules:
        """Return a site's robots.txt, asked for once a day; inside of the domain's turn."""
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        known = self._memory.get(origin)
        if known is not None:
            return known
        # Two links of one site that come together ask once.
        async with self._asking.setdefault(origin, asyncio.Lock()):
            return self._memory.get(origin) or await self._find_rules(origin)

    async def _find_rules(self, origin: str) -> Rules:
        if self._memory.is_unreachable(origin):
            raise Stopped(_ROBOTS_UNREACHABLE)
        found = await self._robots.ask(origin)
        seconds = 0.0 if found is None else (found.until - _now()).total_seconds()
        if found is None or seconds <= 0:
            return await self._ask_rules(origin)
        rules = Rules(found.rules)
        self._memory.keep(origin, rules, seconds)
        return rules

    async def _ask_rules(self, origin: str) -> Rules:
        answer = await self._fetching.get_rules(origin)
        verdict = judge_robots(None if answer is None else answer.status)
        if answer is None or verdict is not None:
            self._memory.keep(origin, None, UNREACHABLE_SECONDS)
            raise Stopped(verdict or _ROBOTS_UNREACHABLE)
        text = read_rules(answer.body) if answer.status == _FOUND else ""
        await self._kept.ask(KeptRobots(origin, answer.status, text, _now()))
        rules = Rules(text)
        self._memory.keep(origin, rules, knowledge.REMEMBERED.total_seconds())
        return rules


_ROBOTS_UNREACHABLE = Verdict(Step.FAIL, Reason.ROBOTS_UNREACHABLE)


def _reading(
    database: Database,
    look: Callable[[Connection, Sequence[Question], datetime], Sequence[Answered]],
) -> Together[Question, Answered]:
    def answer_all(questions: Sequence[Question]) -> Sequence[Answered]:
        with discreet(), database.read() as connection:
            return look(connection, questions, _now())

    return Together(answer_all)


def _writing(
    database: Database, change: Callable[[Connection, Sequence[Question]], None]
) -> Together[Question, None]:
    def answer_all(changes: Sequence[Question]) -> Sequence[None]:
        with discreet(), database.write() as connection:
            change(connection, changes)
        return [None] * len(changes)

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
