"""Opens the vault that the settings name, once for a process."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from leasehold_documents.errors import VaultFailed
from leasehold_documents.settings import Settings
from leasehold_documents.vault.folder import FolderVault
from leasehold_documents.vault.interface import Vault

_S3 = "s3://"
_open: dict[tuple[int, Settings], Vault] = {}
_lock = threading.Lock()


def vault_of(settings: Settings) -> Vault:
    """Return the vault of these settings; a forked child gets connections of its own."""
    place = (os.getpid(), settings)
    with _lock:
        if place not in _open:
            _open[place] = _make(settings)
        return _open[place]


def close_vaults() -> None:
    """Close those of this process."""
    with _lock:
        mine = [place for place in _open if place[0] == os.getpid()]
        for place in mine:
            _open.pop(place).close()


def _make(settings: Settings) -> Vault:
    if not settings.vault.startswith(_S3):
        return FolderVault(Path(settings.vault))
    from leasehold_documents.vault.bucket import Bucket, Place
    from leasehold_documents.vault.s3 import S3Vault

    name, _, prefix = settings.vault.removeprefix(_S3).partition("/")
    if not (name and settings.s3_key_id and settings.s3_key):
        raise VaultFailed("S3 needs s3://BUCKET and LEASEHOLD_DOCUMENTS_S3_KEY_ID and …_S3_KEY")
    place = Place(
        name=name,
        endpoint=settings.s3_endpoint.rstrip("/"),
        region=settings.s3_region,
        key_id=settings.s3_key_id,
        key=settings.s3_key,
        session=settings.s3_session,
    )
    return S3Vault(Bucket(place), prefix.strip("/"))
