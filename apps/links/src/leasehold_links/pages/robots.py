"""What a site's robots.txt lets us read (RFC 9309)."""

from __future__ import annotations

from protego import Protego

LARGEST_BYTES = 512_000  # the standard asks for at least 500 KiB; what is behind is not read


def allows(robots: str | None, url: str, agent: str) -> bool:
    """Whether rules let this agent read this address; None: the site has none."""
    if not robots:
        return True
    rules = Protego.parse(robots.removeprefix("\ufeff"))
    return bool(rules.can_fetch(url, agent))


def read_rules(body: bytes) -> str:
    """Return the text of a robots.txt, without what would not be read."""
    return body[:LARGEST_BYTES].decode("utf-8-sig", "replace").replace("\x00", "")
