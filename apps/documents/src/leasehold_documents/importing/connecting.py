"""Consent: a person is sent to the cloud, and comes back with a code that is good once."""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

import msgspec

import leasehold as lh
from leasehold_documents.access import Service
from leasehold_documents.data import connectors
from leasehold_documents.errors import NotFound, Rejected
from leasehold_documents.importing.clients import app_of, endpoints_of
from leasehold_documents.importing.connectors import get
from leasehold_documents.importing.opening import open_provider
from leasehold_documents.importing.tokens import TokenKeeper
from leasehold_documents.providers import Http, Tokens
from leasehold_documents.providers.errors import AccessRevoked, ProviderFailed
from leasehold_documents.providers.oauth import authorize_url, exchange
from leasehold_documents.settings import settings
from leasehold_documents.vault import signing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold_documents.access import Access

PURPOSE = "oauth"
LIFETIME = timedelta(minutes=10)
_NAMES = {"dropbox": "Dropbox", "onedrive": "OneDrive", "gdrive": "Google Drive"}
_PENDING = timedelta(days=1)


class Asked(NamedTuple):
    """Where the person consents, and for which connector."""

    url: str
    connector_id: UUID


class _Waiting(msgspec.Struct, frozen=True):
    """What is remembered, encrypted, until the person comes back."""

    nonce: str
    verifier: str
    redirect_uri: str


def connect(
    access: Access,
    provider: str,
    *,
    redirect_uri: str,
    name: str = "",
    connector_id: UUID | None = None,
) -> Asked:
    """Begin to connect a cloud, or an expired connector anew."""
    access.require("member")
    app = app_of(provider)
    if connector_id is None:
        connector = _add(access, provider, name or _NAMES[provider])
    else:
        connector = get(access, connector_id)
        if connector["provider"] != provider:
            raise NotFound("connector", connector_id)
    waiting = _Waiting(secrets.token_urlsafe(16), secrets.token_urlsafe(48), redirect_uri)
    with _keyring_needed():
        text = msgspec.json.encode(waiting).decode()
        access.client.credentials.set(_name(connector["id"]), text)
    said = {
        "connector": str(connector["id"]),
        "tenant": str(access.tenant_id),
        "user": str(access.user_id),
        "nonce": waiting.nonce,
    }
    url = authorize_url(
        endpoints_of(connector),
        app,
        redirect_uri=redirect_uri,
        state=signing.sign(settings(), PURPOSE, said, lifetime=LIFETIME),
        verifier=waiting.verifier,
    )
    return Asked(url, connector["id"])


def finish(access: Access, *, state: str, code: str) -> dict[str, Any]:
    """Take the code that the person came back with; returns the connector.

    The state must be ours, this person's, and the last one given out for the connector; it and the
    code are good once.
    """
    connector_id, waiting = _take(access, state)
    connector = get(access, connector_id)
    try:
        with Http() as http:
            tokens = exchange(
                http,
                endpoints_of(connector),
                app_of(connector["provider"]),
                code=code,
                redirect_uri=waiting.redirect_uri,
                verifier=waiting.verifier,
            )
    except ProviderFailed as error:
        raise Rejected(error.code, error.reason) from None
    return keep_tokens(access, connector_id, tokens)


def deny(access: Access, *, state: str) -> None:
    """Take it that the person came back and has said no: what was begun is forgotten."""
    connector_id, _ = _take(access, state)
    with access.write() as session:
        found = connectors.get(session.connection(), access.tenant_id, connector_id)
        if found is not None and found["status"] == connectors.PENDING:
            connectors.remove(session.connection(), access.tenant_id, connector_id)
    raise Rejected("CONSENT_DENIED", "nothing was connected: you said no")


def keep_tokens(access: Access, connector_id: UUID, tokens: Tokens) -> dict[str, Any]:
    """Keep the tokens of a consent, once it is known whose account they open."""
    access.require("member")
    connector = get(access, connector_id)
    service = Service(access.client, access.database)
    account = _account(connector, tokens)
    if connector["account"] not in {None, account}:
        raise Rejected("OTHER_ACCOUNT", "this connector belongs to another account over there")
    with _keyring_needed():
        TokenKeeper(service, connector).keep(tokens)
    with access.write() as session:
        now = datetime.now(UTC)
        connectors.change(
            session.connection(), access.tenant_id, connector_id, now, account=account
        )
    return get(access, connector_id)


def _add(access: Access, provider: str, name: str) -> dict[str, Any]:
    now = datetime.now(UTC)
    (connector_id,) = access.client.ids.take(1)
    row = {
        "id": connector_id,
        "tenant_id": access.tenant_id,
        "provider": provider,
        "name": name[:200],
        "status": connectors.PENDING,
        "created_by": access.user_id,
        "created_at": now,
        "updated_at": now,
    }
    with access.write() as session:
        connectors.forget_pending(session.connection(), access.tenant_id, now - _PENDING)
        connectors.add(session.connection(), row)
    return get(access, connector_id)


def _take(access: Access, state: str) -> tuple[UUID, _Waiting]:
    """Return what waits for this state, and let it wait no more."""
    access.require("member")
    said = signing.read(settings(), PURPOSE, state)
    whose = str(access.tenant_id), str(access.user_id)
    if (said["tenant"], said["user"]) != whose:
        raise Rejected("STATE_INVALID", "somebody else has begun this")
    connector_id = UUID(said["connector"])
    credentials, name = access.client.credentials, _name(connector_id)
    try:
        waiting = msgspec.json.decode(credentials.get(name).reveal(), type=_Waiting)
    except lh.CredentialNotFound:
        raise Rejected("STATE_USED", "this was finished already; begin anew") from None
    if not secrets.compare_digest(waiting.nonce, said["nonce"]):
        raise Rejected("STATE_USED", "it was begun anew since; go on there")
    if not credentials.remove(name):  # two at once: one of them was quicker
        raise Rejected("STATE_USED", "this was finished already; begin anew")
    return connector_id, waiting


class _Fresh:
    """A token that is not kept yet, and seconds old: refused, it was never good."""

    def __init__(self, token: str) -> None:
        self._token = token

    def current(self) -> str:
        return self._token

    def renew(self, _stale: str) -> str:
        raise AccessRevoked("the token that it gave is refused")


def _account(connector: dict[str, Any], tokens: Tokens) -> str:
    try:
        with open_provider(connector, _Fresh(tokens.access_token)) as provider:
            return provider.account()
    except ProviderFailed as error:
        raise Rejected(error.code, error.reason) from None


@contextmanager
def _keyring_needed() -> Iterator[None]:
    try:
        yield
    except lh.NoKeyring as error:
        words = "tokens can't be kept: the operator has to set LEASEHOLD_KEYS"
        raise Rejected("NO_KEYRING", words) from error


def _name(connector_id: UUID) -> str:
    return f"documents.oauth.{connector_id}"
