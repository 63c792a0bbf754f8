"""Passwords of documents: encrypted, for one attempt, and for a quarter of an hour at most."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from uuid import UUID

import msgspec

import leasehold as lh
from leasehold_documents.model.jobs import QUEUE
from leasehold_documents.settings import SIGNED_SECONDS


class _Kept(msgspec.Struct, frozen=True):
    password: str
    until: datetime


@lh.task(name="documents.forget_password", queue=QUEUE, max_attempts=20, share=lh.TENANT)
def forget_password(extraction_id: UUID) -> None:
    """Forget a password that no attempt has used."""
    forget(lh.current_job().client, extraction_id)


def keep(client: lh.Client, extraction_id: UUID, password: str) -> None:
    """Keep a password until its attempt; first of all it is seen to that it goes."""
    client.enqueue(forget_password.with_options(delay=SIGNED_SECONDS), extraction_id)
    until = datetime.now(UTC) + timedelta(seconds=SIGNED_SECONDS)
    kept = msgspec.json.encode(_Kept(password, until)).decode()
    client.credentials.set(_name(extraction_id), kept)


def forget(client: lh.Client, extraction_id: UUID) -> None:
    """Forget it, if there is one: nearly always there is none, and to look is cheap."""
    if _find(client, extraction_id) is not None:
        client.credentials.remove(_name(extraction_id))


def look(client: lh.Client, extraction_id: UUID) -> str | None:
    """Return the password, if there is one that is not too old."""
    found = _find(client, extraction_id)
    if found is None:
        return None
    kept = msgspec.json.decode(found.reveal(), type=_Kept)
    return kept.password if kept.until > datetime.now(UTC) else None


@contextmanager
def lent(client: lh.Client, extraction_id: UUID) -> Iterator[str | None]:
    """Lend the password to an attempt, however that ends the only one."""
    password = look(client, extraction_id)
    try:
        yield password
    finally:
        if password is not None:
            forget(client, extraction_id)


def _find(client: lh.Client, extraction_id: UUID) -> lh.Secret[str] | None:
    try:
        return client.credentials.get(_name(extraction_id))
    except lh.CredentialNotFound:
        return None


def _name(extraction_id: UUID) -> str:
    return f"documents.password.{extraction_id}"
