"""What an operator may say, in variables of the environment."""

from __future__ import annotations

import os
from functools import lru_cache

import msgspec

PREFIX = "LEASEHOLD_LINKS_"


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """`allow` and `names` are for tests and demos: servers of one's own under made-up names."""

    agent: str = "leasehold-links"
    allow: tuple[str, ...] = ()  # addresses that may be reached though they are not public
    names: dict[str, str] = {}  # endings of host names, and the address that they have
    file_bytes: int = 64 * 1024 * 1024
    per_host: bool = False  # whether requests are counted by host, not by registrable domain


@lru_cache(maxsize=1)
def settings() -> Settings:
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
        per_host=env.get("PER_HOST", "").lower() in {"1", "true", "yes", "on"},
    )
