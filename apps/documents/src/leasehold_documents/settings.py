"""What an operator may say, in variables of the environment that begin with the prefix."""

from __future__ import annotations

from typing import Literal

import msgspec

from leasehold.kit.settings import Lendable

PREFIX = "LEASEHOLD_DOCUMENTS_"
# Served alone, the worker is asked for where a cron job expects it.
ALIASES = {"/worker/tick": "/documents/worker/tick"}
SIGNED_SECONDS = 15 * 60  # that a link to a file, or a password for one, is good for
_SECRETS = frozenset(
    {
        "secret",
        "service_token",
        "s3_key",
        "s3_session",
        "extraction_key",
        "smtp_password",
        "dropbox_secret",
        "onedrive_secret",
        "gdrive_secret",
    }
)


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All of them, with what holds when nobody says anything. Its repr shows no secret."""

    # Where the files are: a folder, or s3://bucket/prefix. Without an endpoint that is Amazon's.
    vault: str = "documents-vault"
    s3_endpoint: str = ""
    s3_region: str = "eu-central-1"
    s3_key_id: str = ""
    s3_key: str = ""
    s3_session: str = ""

    # Who may come in. The secret signs links to files, OAuth's state and, if there is no JWKS,
    # people's tokens (HS256). Without it links end with the process, and nobody signs in.
    secret: str = ""
    service_token: str = ""  # of the cron job that calls /worker/tick
    jwks_url: str = ""
    jwt_issuer: str = ""
    jwt_audience: str = ""
    public_url: str = ""  # where people reach the service: OAuth and e-mail need it

    # Whom the command line acts for, where it is not said: an organization, and one of its people.
    tenant: str = ""
    user: str = ""

    # What a page costs, in cents.
    fast_cents: int = 2
    hires_cents: int = 5

    # A service that speaks Unstructured's protocol; without an address the files are read here.
    extraction_url: str = ""
    extraction_key: str = ""
    extraction_seconds: float = 300.0

    # Limits.
    file_bytes: int = 100 * 1024 * 1024
    range_pages: int = 2000  # a longer document is read in ranges of so many, as a batch
    parser_bytes: int = 1024 * 1024 * 1024
    parser_seconds: float = 120.0  # of computing, for one document or one range of it

    # E-mail; without a host there is none.
    smtp_host: str = ""
    smtp_port: int = 587
    smtp_user: str = ""
    smtp_password: str = ""
    smtp_from: str = ""
    smtp_security: Literal["starttls", "tls", "none"] = "starttls"

    # The drives that files come from: what their developers' pages call client id and secret.
    # The addresses are for stand-ins of one's own.
    dropbox_id: str = ""
    dropbox_secret: str = ""
    dropbox_url: str = ""
    onedrive_id: str = ""
    onedrive_secret: str = ""
    onedrive_url: str = ""
    gdrive_id: str = ""
    gdrive_secret: str = ""
    gdrive_url: str = ""

    # When somebody is told, and whom it is mailed to.
    admin_email: str = ""
    queue_warning: int = 100  # jobs that wait
    dead_alert: int = 10  # jobs that died within an hour
    silence_seconds: float = 300.0  # without a worker the service is not healthy

    def __repr__(self) -> str:
        said = {
            name: "…" if name in _SECRETS else value
            for name, value in msgspec.structs.asdict(self).items()
            if value != getattr(_DEFAULTS, name)
        }
        return f"Settings({', '.join(f'{name}={value!r}' for name, value in said.items())})"


_DEFAULTS = Settings()
settings = Lendable(Settings, PREFIX)
lending = settings.lending
