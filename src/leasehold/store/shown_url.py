"""How a database's URL is shown: without its passwords."""

from __future__ import annotations

import re
from urllib.parse import unquote

MASK = "***"
# From the first colon behind the user to the last @: a password that should have been quoted,
# and was not, may hold anything.
IN_AUTHORITY = re.compile(r"(?<=://)(?P<user>[^:@/?#]*):(?P<secret>.*)@", re.DOTALL)
IN_QUERY = re.compile(r"(?P<name>[?&](?:ssl)?password=)(?P<secret>[^&#]*)", re.IGNORECASE)


def hide_password(url: str) -> str:
    """Return the url with its passwords masked."""
    hidden = IN_AUTHORITY.sub(rf"\g<user>:{MASK}@", url)
    return IN_QUERY.sub(rf"\g<name>{MASK}", hidden)


_SHORTEST = 3  # replacing a shorter one everywhere would garble the text and hide nothing
_BREAKS = re.compile(r"[@:/?#\[\]%]")


def hide_secrets(text: str, url: str) -> str:
    """Mask the url's passwords in a text, as they stand in the url, decoded, and in parts.

    One that should have been quoted breaks the url where it must not, and a driver names the parts.
    """
    text = text.replace(url, hide_password(url))
    found = [*IN_AUTHORITY.finditer(url), *IN_QUERY.finditer(url)]
    secrets = {spelling for each in found for spelling in _spellings(each["secret"])}
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST:
            text = text.replace(secret, MASK)
    return text


def _spellings(secret: str) -> set[str]:
    return {secret, unquote(secret), *_BREAKS.split(secret), *_BREAKS.split(unquote(secret))}
