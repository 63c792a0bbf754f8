"""What an operator may say, in variables of the environment."""

from __future__ import annotations

import os
from functools import lru_cache

import msgspec

from leasehold.kit.settings import Lent

PREFIX = "LEASEHOLD_LINKS_"


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """`allow` and `names` are for tests and demos: servers of one's own under made-up names."""

    agent: str = "leasehold-links"
    allow: tuple[str, ...] = ()  # addresses that may be reached though they are not public
    names: dict[str, str] = {}  # endings of host names, and the address that they have
    # The same with a port. The environment can't say it: only who is in this process can, and only
    # for as long as it lives (`lending`).
    routes: dict[str, str] = {}
    file_bytes: int = 64 * 1024 * 1024
    page_seconds: float = 20.0  # for one link: robots.txt, every hop, and the page
    per_host: bool = False  # whether requests are counted by host, not by registrable domain
    pictures: str = "https"  # which pages show: those of `https` addresses, `all`, or `none`


@lru_cache(maxsize=1)
def _from_environment() -> Settings:
    """Read the environment once."""
    env = {
        key.removeprefix(PREFIX): text for key, text in os.environ.items() if key.startswith(PREFIX)
    }
    names = dict(pair.split("=", 1) for pair in env.get("NAMES", "").split() if "=" in pair)
    return Settings(
        agent=env.get("AGENT", Settings().agent),
        allow=tuple(env.get("ALLOW", "").split()),
        names=names,
        file_bytes=int(env.get("FILE_BYTES", Settings().file_bytes)),
        page_seconds=float(env.get("PAGE_SECONDS", Settings().page_seconds)),
        pictures=env.get("PICTURES", Settings().pictures),
        per_host=env.get("PER_HOST", "").lower() in {"1", "true", "yes", "on"},
    )


settings = Lent(_from_environment)
lending = settings.lending
