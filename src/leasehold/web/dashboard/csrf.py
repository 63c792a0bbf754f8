"""Puts a session's own CSRF token into what was made for many.

Forms are written with a stand-in, so that those who see the same page can share it. Nobody knows it
outside this process: a job that holds it by chance does not exist.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leasehold.web.dashboard.looks import Look

FIELD = "csrf"
STAND_IN = f"csrf-{secrets.token_hex(16)}"
_STAND_IN = STAND_IN.encode()


def fill_in(body: bytes, look: Look) -> bytes:
    """Return what is sent: with the token of whoever looks, or none where nobody is asked."""
    token = "" if look.identity is None else look.identity.csrf
    return body.replace(_STAND_IN, token.encode())
