"""What an operator can say about the service."""

from __future__ import annotations

from typing import Literal

import msgspec

SILENT_SECONDS = 300.0
BODY_LIMIT = 1_048_576
ANY_HOST = "*"
RATE, BURST = 200.0, 1_000.0
WRONG_PER_MINUTE = 10.0


class JwtSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Whose JSON web tokens are believed, and how they are read.

    `jwks` is a file or a URL with the issuer's public keys. The scope claim has `leasehold:read`,
    `leasehold:operate` or `leasehold:admin`. With a `tenant_claim` everybody is bound to the tenant
    that it names, but for those who have the scope `leasehold:all-tenants`.
    """

    jwks: str
    issuer: str
    audience: str
    algorithms: tuple[str, ...] = ("RS256", "ES256", "EdDSA")
    scope_claim: str = "scope"
    tenant_claim: str | None = None
    name_claim: str = "sub"


class WebSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How the service behaves.

    `needs_worker=False` is for where jobs are run by `POST /worker` only: the service is ready
    though no worker was seen for `silent_seconds`. `hosts` are names it answers to beside
    loopback's, so that no page of another site can reach it by a name of its own; `*` is any.
    `runs_at_once` is how many `POST /worker` may run together in this process.

    `auth`: everybody is asked who they are as soon as there is a token (`auto`), in any case
    (`required`), or never (`off`). `rate` is how many requests a second each of them may make in
    the long run, `burst` how many at once.
    """

    is_read_only: bool = False
    needs_worker: bool = True
    silent_seconds: float = SILENT_SECONDS
    hosts: tuple[str, ...] = ()
    body_limit: int = BODY_LIMIT  # bytes
    runs_at_once: int = 1
    auth: Literal["auto", "required", "off"] = "auto"
    jwt: JwtSettings | None = None
    rate: float = RATE
    burst: float = BURST
    wrong_per_minute: float = WRONG_PER_MINUTE  # wrong credentials, of each address
    has_open_metrics: bool = False  # /metrics is for everybody
