"""How a database's URL is shown: without its passwords."""

from __future__ import annotations

import re

MASK = "***"
# From the first colon behind the user to the last @: a password that should have been quoted,
# and was not, may hold anything.
IN_AUTHORITY = re.compile(r"(?<=://)(?P<user>[^:@/?#]*):(?P<secret>.*)@", re.DOTALL)
IN_QUERY = re.compile(r"(?P<name>[?&](?:ssl)?password=)(?P<secret>[^&#]*)", re.IGNORECASE)


def hide_password(url: str) -> str:
    """Return the url with its passwords masked."""
    hidden = IN_AUTHORITY.sub(rf"\g<user>:{MASK}@", url)
    return IN_QUERY.sub(rf"\g<name>{MASK}", hidden)
