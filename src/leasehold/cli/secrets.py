"""Keeps the passwords of database URLs out of what is printed."""

from __future__ import annotations

from urllib.parse import unquote

from leasehold.store.shown_url import IN_AUTHORITY, IN_QUERY, MASK, hide_password

__all__ = ["MASK", "hide_password", "hide_secrets"]

_SHORTEST = 3  # replacing a shorter one everywhere would garble the text and hide nothing


def hide_secrets(text: str, url: str) -> str:
    """Mask the url's passwords in a text, as they stand in the url and decoded."""
    text = text.replace(url, hide_password(url))
    found = [*IN_AUTHORITY.finditer(url), *IN_QUERY.finditer(url)]
    secrets = {spelling for each in found for spelling in _spellings(each["secret"])}
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST:
            text = text.replace(secret, MASK)
    return text


def _spellings(secret: str) -> tuple[str, str]:
    return secret, unquote(secret)
