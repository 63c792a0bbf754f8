"""What a site's robots.txt lets us read (RFC 9309)."""

from __future__ import annotations

from protego import Protego

LARGEST_BYTES = 512_000  # the standard asks for at least 500 KiB; what is behind is not read


class Rules:
    """The rules of one site, parsed when they are first needed."""

    def __init__(self, text: str, status: int = 200) -> None:
        self.text = text
        self.status = status  # of the answer that they came with
        self.size = len(text)
        self._parsed: Protego | None = None

    def allow(self, url: str, agent: str) -> bool:
        """Whether this agent may read this address."""
        if not self.text:
            return True
        if self._parsed is None:
            self._parsed = Protego.parse(self.text.removeprefix("\ufeff"))
        return bool(self._parsed.can_fetch(url, agent))


def allows(robots: str | None, url: str, agent: str) -> bool:
    """Whether rules let this agent read this address; None: the site has none."""
    return Rules(robots or "").allow(url, agent)


def read_rules(body: bytes) -> str:
    """Return the text of a robots.txt, without what would not be read."""
    return body[:LARGEST_BYTES].decode("utf-8-sig", "replace").replace("\x00", "")
