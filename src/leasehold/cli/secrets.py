"""Keeps the passwords of database URLs out of what is printed."""

from __future__ import annotations

import re
from urllib.parse import unquote

MASK = "***"
# From the first colon behind the user to the last @: a password that should have been quoted,
# and was not, may hold anything.
_IN_AUTHORITY = re.compile(r"(?<=://)(?P<user>[^:@/?#]*):(?P<secret>.*)@", re.DOTALL)
_IN_QUERY = re.compile(r"(?P<name>[?&](?:ssl)?password=)(?P<secret>[^&#]*)", re.IGNORECASE)
_SHORTEST = 3  # replacing a shorter one everywhere would garble the text and hide nothing


def hide_password(url: str) -> str:
    """Return the url with its passwords masked."""
    hidden = _IN_AUTHORITY.sub(rf"\g<user>:{MASK}@", url)
    return _IN_QUERY.sub(rf"\g<name>{MASK}", hidden)


def hide_secrets(text: str, url: str) -> str:
    """Mask the url's passwords in a text, as they stand in the url and decoded."""
    text = text.replace(url, hide_password(url))
    found = [*_IN_AUTHORITY.finditer(url), *_IN_QUERY.finditer(url)]
    secrets = {spelling for each in found for spelling in _spellings(each["secret"])}
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST:
            text = text.replace(secret, MASK)
    return text


def _spellings(secret: str) -> tuple[str, str]:
    return secret, unquote(secret)
