"""The cookie of a session: for us alone, never sent from another site's page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from starlette.responses import Response

NAME = "leasehold_session"
HTTPS_NAME = "__Host-leasehold_session"


def cookie_name(scope: MutableMapping[str, Any]) -> str:
    """Name the cookie; over https it is one that nobody else of this domain can set."""
    return HTTPS_NAME if scope.get("scheme") == "https" else NAME


def set_session(
    response: Response, scope: MutableMapping[str, Any], value: str, seconds: float
) -> None:
    """Give a browser its session."""
    response.set_cookie(
        cookie_name(scope),
        value,
        max_age=int(seconds),
        path="/",
        httponly=True,
        samesite="strict",
        secure=scope.get("scheme") == "https",
    )


def drop_session(response: Response, scope: MutableMapping[str, Any]) -> None:
    """Take it away."""
    response.delete_cookie(
        cookie_name(scope),
        path="/",
        httponly=True,
        samesite="strict",
        secure=scope.get("scheme") == "https",
    )
