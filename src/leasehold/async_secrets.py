"""`client.credentials` and `client.encryption` for asyncio: the same verbs, awaited, in threads."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.credentials import Credentials
    from leasehold.encryption import Encryption, KeyUse
    from leasehold.model.credentials import CredentialInfo
    from leasehold.model.secrets import Secret
    from leasehold.reencrypting import ReencryptReport


class AsyncCredentials:
    """Values under names, each its tenant's, encrypted."""

    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials

    async def set(
        self, name: str, value: str | Secret[str], *, tenant: str = "", by: str | None = None
    ) -> None:
        """Keep a value under a name; see `Credentials.set`."""
        await asyncio.to_thread(self._credentials.set, name, value, tenant=tenant, by=by)

    async def get(self, name: str, *, tenant: str = "") -> Secret[str]:
        """Return a value, else `CredentialNotFound`."""
        return await asyncio.to_thread(self._credentials.get, name, tenant=tenant)

    async def list(self, *, tenant: str | None = None) -> list[CredentialInfo]:
        """List the names, of one tenant or of all."""
        return await asyncio.to_thread(self._credentials.list, tenant=tenant)

    async def remove(self, name: str, *, tenant: str = "") -> bool:
        """Forget a value; False when there was none."""
        return await asyncio.to_thread(self._credentials.remove, name, tenant=tenant)


class AsyncEncryption:
    """Rotating keys."""

    def __init__(self, encryption: Encryption) -> None:
        self._encryption = encryption

    async def keys(self, *, count: bool = False) -> list[KeyUse]:
        """List the keys; see `Encryption.keys`."""
        return await asyncio.to_thread(self._encryption.keys, count=count)

    async def reencrypt(
        self, *, progress: Callable[[ReencryptReport], object] | None = None
    ) -> ReencryptReport:
        """Bring all that is encrypted to the key of now; see `Encryption.reencrypt`."""
        return await asyncio.to_thread(self._encryption.reencrypt, progress=progress)

    async def background(self) -> str | None:
        """Say how far the workers are with the same."""
        return await asyncio.to_thread(self._encryption.background)

    async def retire(self, key_id: str) -> None:
        """Take a key away for good; `KeyInUse` while anything in the database needs it."""
        await asyncio.to_thread(self._encryption.retire, key_id)
