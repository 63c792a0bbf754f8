"""One fetch: who is asked before each hop, and what an error means."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

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
from leasehold_links.enriching.reading import Answer, may_be_page
from leasehold_links.model.addresses import SCHEMES, NotFetchable, read_address
from leasehold_links.model.outcomes import (
    CHALLENGED,
    MOST_REDIRECTS,
    PORTS,
    ROBOTS_FORBID,
    ROBOTS_UNREACHABLE,
    Reason,
    Step,
    Verdict,
    judge_robots,
)
from leasehold_links.pages.challenges import is_captcha_address
from leasehold_links.pages.robots import LARGEST_BYTES, Rules, read_rules
from leasehold_links.turns import turn_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from leasehold.fetching import AsyncAnswer, Resolver
    from leasehold_links.settings import Settings

ROBOTS_SECONDS = 8.0
PAGE_BYTES = 2 * 1024 * 1024
_FOUND = range(200, 300)
_USER = re.compile(r"(https?://)[^/?#@]*@")
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


class Stopped(Exception):
    """A hop that is not to be made, or that led nowhere."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict.reason)
        self.verdict = verdict


@dataclass(slots=True)
class Way:
    """One fetch on its way; asked before each hop."""

    turn: str
    hops: int  # redirects so far; those that led to its turn, too
    agent: str
    rules_of: Callable[[str, str], Awaitable[Rules]]  # of an address, inside of a turn

    async def check(self, url: str) -> None:
        """Let this hop be made, or raise."""
        try:
            address = read_address(url)
        except NotFetchable:
            raise Stopped(Verdict(Step.DIE, Reason.REDIRECTS)) from None
        if is_captcha_address(address.url):
            raise Stopped(CHALLENGED)
        turn = turn_of(address)
        if turn != self.turn:
            raise OtherTurn(address.url, turn, self.hops)
        self.hops += 1
        rules = await self.rules_of(address.url, self.turn)
        if not rules.allow(address.url, self.agent):
            raise Stopped(ROBOTS_FORBID)


class Fetching:
    """Fetches pages and rules of sites, all under the guard of the engine."""

    def __init__(self, said: Settings, resolver: Resolver | None = None) -> None:
        rules = FetchRules(
            allow=said.allow,
            routes=said.routes,
            ports=tuple(sorted(PORTS)),
            seconds=said.page_seconds,
            decoded_bytes=PAGE_BYTES,
            redirects=MOST_REDIRECTS,
        )
        brief = FetchRules(
            allow=said.allow,
            routes=said.routes,
            ports=rules.ports,
            seconds=min(ROBOTS_SECONDS, said.page_seconds),
            decoded_bytes=LARGEST_BYTES,
        )
        find = resolver or named_resolver(said.names)
        self._pages = AsyncFetcher(rules, user_agent=said.agent, resolver=find)
        self._robots = AsyncFetcher(brief, user_agent=said.agent, resolver=find)

    async def get_page(self, url: str, way: Way) -> Answer:
        """Fetch a page as far as it is of interest; `Stopped` and `OtherTurn` as the way says."""
        try:
            opened = await self._pages.open(
                _USER.sub(r"\1", url),  # whoever is named there: we are not he
                redirects=MOST_REDIRECTS - way.hops,
                before_hop=way.check,
            )
            async with opened as answer:
                return await _read_body(answer)
        except FetchFailed as error:
            raise Stopped(verdict_of(error)) from error

    async def get_rules(self, origin: str, turn: str) -> Rules:
        """Ask for a site's robots.txt; `Stopped` while it can't be had.

        Rules that another domain has are none: to ask there would take a turn of its own.
        """
        asked = _Staying(turn)
        try:
            async with await self._robots.open(
                f"{origin}/robots.txt", before_hop=asked.check
            ) as opened:
                return await _read_rules(opened)
        except (OtherTurn, RedirectRefused):
            return Rules("")  # as if there were none, says the standard
        except (UrlRefused, NameNotFound, TlsFailed, ConnectionFailed) as error:
            raise Stopped(verdict_of(error)) from error  # so nothing else can be had there either
        except FetchFailed as error:
            raise Stopped(ROBOTS_UNREACHABLE) from error


@dataclass(slots=True)
class _Staying:
    """Leaves no domain."""

    turn: str

    def check(self, url: str) -> None:
        address = read_address(url)
        turn = turn_of(address)
        if turn != self.turn:
            raise OtherTurn(address.url, turn, 0)


async def _read_rules(opened: AsyncAnswer) -> Rules:
    status = opened.head.status
    verdict = judge_robots(status)
    if verdict is not None:
        raise Stopped(verdict)
    body = bytearray()
    with suppress(FetchFailed):  # what came of it counts
        async for piece in opened.pieces():
            body += piece
    return Rules(read_rules(bytes(body)) if status in _FOUND else "", status)


async def _read_body(opened: AsyncAnswer) -> Answer:
    """Read as much as may be, and may be read; nothing at all that came is an error."""
    if not may_be_page(opened.head):
        return Answer(head=opened.head)
    body = bytearray()
    try:
        async for piece in opened.pieces():
            body += piece
    except FetchFailed as error:
        if not body:
            raise
        return Answer(head=opened.head, body=bytes(body), cut_by=error)
    return Answer(head=opened.head, body=bytes(body))


def verdict_of(error: FetchFailed) -> Verdict:
    """Judge a fetch that failed."""
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
