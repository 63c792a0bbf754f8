"""The options of `leasehold serve` about JSON web tokens of an OpenID Connect issuer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from leasehold.errors import BadOption

if TYPE_CHECKING:
    from leasehold.web.settings import JwtSettings

Function = TypeVar("Function", bound=Callable[..., Any])
_WORDS = ("jwks", "issuer", "audience", "scope_claim", "tenant_claim", "name_claim")
_OPTIONS = (
    click.option(
        "--oidc-jwks",
        envvar="LEASEHOLD_OIDC_JWKS",
        metavar="FILE|URL",
        help="Believe JSON web tokens that are signed with these keys.",
    ),
    click.option("--oidc-issuer", envvar="LEASEHOLD_OIDC_ISSUER", help="… of this issuer."),
    click.option("--oidc-audience", envvar="LEASEHOLD_OIDC_AUDIENCE", help="… for this audience."),
    click.option(
        "--oidc-scope-claim",
        envvar="LEASEHOLD_OIDC_SCOPE_CLAIM",
        default="scope",
        show_default=True,
        help="Where leasehold:read, :operate or :admin stands.",
    ),
    click.option(
        "--oidc-tenant-claim",
        envvar="LEASEHOLD_OIDC_TENANT_CLAIM",
        help="Which claim names the tenant; then all need it but those of leasehold:all-tenants.",
    ),
    click.option(
        "--oidc-name-claim",
        envvar="LEASEHOLD_OIDC_NAME_CLAIM",
        default="sub",
        show_default=True,
        help="Who somebody is.",
    ),
)


def oidc_options(command: Function) -> Function:
    """Give a command these options."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_oidc(options: dict[str, Any]) -> JwtSettings | None:
    """Read what they say; None when they say nothing."""
    from leasehold.web.settings import JwtSettings

    given = {word: options[f"oidc_{word}"] for word in _WORDS}
    needed = ("jwks", "issuer", "audience")
    missing = [f"--oidc-{word}" for word in needed if not given[word]]
    if len(missing) == len(needed):
        return None
    if missing:
        raise BadOption(f"JSON web tokens need {', '.join(missing)}, too")
    _require_jwt()
    return JwtSettings(**given)


def _require_jwt() -> None:
    from importlib.util import find_spec

    if find_spec("jwt") is None:
        raise BadOption("JSON web tokens need PyJWT: pip install 'leasehold[oidc]'")
