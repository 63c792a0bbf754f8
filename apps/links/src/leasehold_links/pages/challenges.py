"""Pages that ask whether a reader is a person, instead of what they were asked for."""

from __future__ import annotations

import re
from typing import Protocol
from urllib.parse import urlsplit

LARGEST_CHARACTERS = 60_000  # a page that is longer is one, whatever it embeds

_TITLES = re.compile(
    r"just a moment|attention required|checking your browser|verify(?:ing)? you are (?:a )?human"
    r"|are you (?:a )?(?:robot|human)|human verification|bot verification|robot check"
    r"|pardon our interruption|ddos-guard|please wait\.\.\. \| cloudflare|security check(?:point)?$"
    r"|one moment, please|access to this page has been denied|captcha"
    r"|请稍候|잠시만 기다리|お待ちください",
    re.IGNORECASE,
)
_MARKERS = (
    *("/cdn-cgi/challenge-platform/", "cf-chl-", "_incapsula_resource", "px-captcha"),
    *("captcha-delivery.com", "awswafintegration", "window.gokuprops", "ddos-guard/js-challenge"),
    *("/_sec/cp_challenge/", "kasada", "perimeterx.net", "validate.perfdrive.com"),
)
# Forms with a captcha have these, too: they count only on a page with next to no text.
_WEAK_MARKERS = (
    "hcaptcha.com/1/api.js",
    "google.com/recaptcha/",
    "challenges.cloudflare.com/turnstile",
)
_SHORTEST_TEXT = 400
# Statuses that challenges come with; a 404 with such a form on it is a 404.
_USUAL = frozenset({200, 202, 401, 403, 405, 429, 503})
_HOSTS = re.compile(
    r"(?:^|\.)(?:captcha-delivery\.com|perfdrive\.com|challenges\.cloudflare\.com|hcaptcha\.com)$"
)
_TAGS = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.IGNORECASE | re.DOTALL)


class Named(Protocol):
    """Header fields by their names in lower case."""

    def get(self, name: str, /) -> str | None: ...


def is_challenge(
    headers: Named, url: str, text: str = "", title: str | None = None, *, status: int = 200
) -> bool:
    """Whether this answer is a challenge, at whichever status it came."""
    if (headers.get("cf-mitigated") or "").strip().lower() == "challenge":
        return True
    if is_captcha_address(url):
        return True
    if len(text) > LARGEST_CHARACTERS:
        return False
    lowered = text.lower()
    if title is not None and _TITLES.search(title) and len(_bare(lowered)) < 4 * _SHORTEST_TEXT:
        return True
    if any(marker in lowered for marker in _MARKERS):
        return len(_bare(lowered)) < 4 * _SHORTEST_TEXT
    is_weak = status in _USUAL and any(marker in lowered for marker in _WEAK_MARKERS)
    return is_weak and len(_bare(lowered)) < _SHORTEST_TEXT


def is_captcha_address(url: str) -> bool:
    """Whether a redirect led to where only people are let through."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    is_sorry = host.startswith(("www.google.", "ipv4.google.")) and parts.path.startswith("/sorry/")
    return is_sorry or _HOSTS.search(host) is not None


def _bare(lowered: str) -> str:
    return " ".join(_TAGS.sub(" ", lowered).split())
