"""Fetches a link politely: block lists and robots.txt before each hop, one domain at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from leasehold.fetching import (
    AddressRefused,
    AsyncFetcher,
    BadAnswer,
    ConnectionFailed,
    FetchFailed,
    FetchRules,
    NameNotFound,
    RedirectRefused,
    TlsFailed,
    TooSlow,
    UrlRefused,
    system_resolver,
)
from leasehold_links.data import knowledge
from leasehold_links.model.addresses import SCHEMES, NotFetchable, read_address
from leasehold_links.model.domains import domain_of
from leasehold_links.model.outcomes import (
    BLOCKED,
    CHALLENGED,
    MOST_REDIRECTS,
    PORTS,
    ROBOTS_FORBID,
    Reason,
    Step,
    Verdict,
    judge_robots,
    judge_status,
)
from leasehold_links.pages.challenges import is_captcha_address, is_challenge
from leasehold_links.pages.charset import decode_page
from leasehold_links.pages.metadata import Metadata, read_page
from leasehold_links.pages.names import title_of_file
from leasehold_links.pages.robots import LARGEST_BYTES, allows, read_rules
from leasehold_links.settings import Settings, settings
from leasehold_links.turns import turn_of

if TYPE_CHECKING:
    from uuid import UUID

    from leasehold.fetching import Page, Resolver
    from leasehold_links.data.database import Database

T = TypeVar("T")
_way: ContextVar[_Way] = ContextVar("links_way")
PAGE_SECONDS = 20.0
ROBOTS_SECONDS = 8.0
PAGE_BYTES = 2 * 1024 * 1024
_PAGES = ("text/html", "application/xhtml+xml")
_ERRORS: tuple[tuple[type[FetchFailed], Step, Reason], ...] = (
    (AddressRefused, Step.DIE, Reason.SSRF_BLOCKED),
    (UrlRefused, Step.DIE, Reason.SSRF_BLOCKED),
    (RedirectRefused, Step.DIE, Reason.REDIRECTS),
    (NameNotFound, Step.FAIL, Reason.DNS),
    (TlsFailed, Step.FAIL, Reason.TLS),
    (ConnectionFailed, Step.FAIL, Reason.CONNECTION),
    (TooSlow, Step.FAIL, Reason.TIMEOUT),
    (BadAnswer, Step.FAIL, Reason.BAD_ANSWER),
)


class OtherTurn(Exception):
    """A redirect leads to where another domain's turns are counted."""

    def __init__(self, url: str, turn: str, hops: int) -> None:
        super().__init__(turn)
        self.url = url
        self.turn = turn
        self.hops = hops  # redirects so far


@dataclass(slots=True)
class _Way:
    """One fetch on its way."""

    turn: str
    hops: int  # redirects so far; those that led to its turn, too


class _Stopped(Exception):
    """A hop that is not to be made."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict.reason)
        self.verdict = verdict


class Enricher:
    """Enriches links of one database. Shared by all jobs of a process."""

    def __init__(
        self, database: Database, said: Settings, *, resolver: Resolver | None = None
    ) -> None:
        self._database = database
        self._agent = said.agent
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        find = resolver or named_resolver(said.names)
        rules = FetchRules(
            allow=said.allow,
            routes=said.routes,
            ports=tuple(sorted(PORTS)),
            seconds=PAGE_SECONDS,
            decoded_bytes=PAGE_BYTES,
            redirects=MOST_REDIRECTS,
        )
        brief = replace(rules, seconds=ROBOTS_SECONDS, decoded_bytes=LARGEST_BYTES)
        self._pages = AsyncFetcher(
            rules, user_agent=said.agent, resolver=find, before_hop=self._check_hop
        )
        self._robots = AsyncFetcher(brief, user_agent=said.agent, resolver=find)

    async def run(self, canonical_id: UUID, turn: str, url: str | None, hops: int) -> Verdict:
        """Fetch a link and keep what it says; tells what is to become of its job.

        `OtherTurn` when it goes on elsewhere: then nothing is kept.
        """
        now = datetime.now(UTC)
        domain = domain_of(turn)
        known = await self._read(knowledge.load, canonical_id, domain, now)
        if known is None:
            return Verdict(Step.SUCCEED)  # nobody has this link any more
        verdict, page = await self._fetch(known, _Way(turn, hops), url or known.url)
        if page is not None and verdict.is_good:
            found = await asyncio.to_thread(_read, page)
            verdict = CHALLENGED if found is None else verdict
            if found is not None:
                await self._keep(canonical_id, page, found)
                return verdict
        status = None if page is None else page.status
        await self._write(
            knowledge.keep_verdict, canonical_id, domain, verdict, status=status, now=now
        )
        return verdict

    async def _fetch(
        self, known: knowledge.Known, way: _Way, url: str
    ) -> tuple[Verdict, Page | None]:
        _way.set(way)
        try:
            page = await self._pages.get(url, redirects=MOST_REDIRECTS - way.hops, keep_part=True)
        except _Stopped as stopped:
            return stopped.verdict, None
        except FetchFailed as error:
            return _verdict_of(error), None
        if page.next_url is not None:
            return Verdict(Step.DIE, Reason.REDIRECTS), page  # one too many, over several domains
        headers = dict(page.headers)
        if is_challenge(headers, page.url):
            return CHALLENGED, page
        return (
            judge_status(
                page.status,
                retry_after=page.headers.get("retry-after"),
                past=known.past,
                now=datetime.now(UTC),
            ),
            page,
        )

    async def _check_hop(self, url: str) -> None:
        way = _way.get()
        try:
            address = read_address(url)
        except NotFetchable:
            raise _Stopped(Verdict(Step.DIE, Reason.REDIRECTS)) from None
        if is_captcha_address(address.url):
            raise _Stopped(CHALLENGED)
        turn = turn_of(address)
        if turn != way.turn:
            raise OtherTurn(address.url, turn, way.hops)
        way.hops += 1
        if await self._read(knowledge.is_blocked, address.domain):
            raise _Stopped(BLOCKED)
        rules = await self._rules_of(address.url)
        if not allows(rules, address.url, self._agent):
            raise _Stopped(ROBOTS_FORBID)

    async def _rules_of(self, url: str) -> str:
        """Return a site's robots.txt, asked for once a day; inside of the domain's turn."""
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        # Two links of one site that come together ask once.
        async with self._asking.setdefault(origin, asyncio.Lock()):
            known = await self._read(knowledge.robots_of, origin, datetime.now(UTC))
            return await self._ask_rules(origin) if known is None else known

    async def _ask_rules(self, origin: str) -> str:
        try:
            answer = await self._robots.get(f"{origin}/robots.txt", keep_part=True)
        except UrlRefused as error:
            raise _Stopped(_verdict_of(error)) from error
        except FetchFailed:
            answer = None
        verdict = judge_robots(None if answer is None else answer.status)
        if answer is None or verdict is not None:
            raise _Stopped(verdict or Verdict(Step.FAIL, Reason.ROBOTS_UNREACHABLE))
        rules = read_rules(answer.body) if answer.status == 200 else ""  # noqa: PLR2004 - found
        await self._write(
            knowledge.keep_robots, origin, status=answer.status, rules=rules, now=datetime.now(UTC)
        )
        return rules

    async def _keep(self, canonical_id: UUID, page: Page, found: Metadata) -> None:
        await self._write(
            knowledge.keep_page,
            canonical_id,
            found,
            final_url=page.url,
            status=page.status,
            content_type=page.headers.get("content-type") or "",
            now=datetime.now(UTC),
        )

    async def _read(self, look: Callable[..., T], *given: object) -> T:
        def work() -> T:
            with self._database.read() as connection:
                return look(connection, *given)

        return await asyncio.to_thread(work)

    async def _write(self, change: Callable[..., None], *given: object, **named: object) -> None:
        def work() -> None:
            with self._database.write() as connection:
                change(connection, *given, **named)

        await asyncio.to_thread(work)


def _read(page: Page) -> Metadata | None:
    """Read what came; None when it is a challenge after all."""
    kind = (page.headers.get("content-type") or "").partition(";")[0].strip().lower()
    is_page = kind in _PAGES or (not kind and page.body.lstrip()[:1] == b"<")
    if not is_page:
        named = title_of_file(page.url, page.headers.get("content-disposition") or "")
        return Metadata(title=named)
    text = decode_page(page.body, page.headers.get("content-type") or "")
    found = read_page(text, page.url)
    return None if is_challenge({}, page.url, text, found.title) else found


def _verdict_of(error: FetchFailed) -> Verdict:
    if error.url.partition(":")[0].lower() not in SCHEMES:
        return Verdict(Step.DIE, Reason.REDIRECTS)
    for kind, step, reason in _ERRORS:
        if isinstance(error, kind):
            return Verdict(step, reason)
    return Verdict(Step.FAIL, Reason.BAD_ANSWER)


def named_resolver(names: dict[str, str]) -> Resolver:
    """Resolve made-up names to addresses of one's own, and all others as the system does."""
    if not names:
        return system_resolver

    def resolve(host: str, port: int) -> list[str]:
        for ending, address in names.items():
            if f".{host}".endswith(f".{ending}"):
                return [address]
        return list(system_resolver(host, port))

    return resolve


@lru_cache(maxsize=8)
def enricher_of(database: Database) -> Enricher:
    return Enricher(database, settings())
