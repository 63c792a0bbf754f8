"""A small encrypted store for applications: `client.credentials.get("stripe")`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.acting import recorded, who
from leasehold.checking import check_name
from leasehold.errors import BadOption, CredentialNotFound
from leasehold.model.secrets import Secret
from leasehold.sealing.seals import VALUE, credential_seal

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.model.credentials import CredentialInfo
    from leasehold.store.base import Store

LARGEST = 65_536  # characters


class Credentials:
    """Values under names, each its tenant's. The database holds ciphertext, bound to both."""

    def __init__(self, store: Callable[[], Store], tenant: Callable[[], str | None]) -> None:
        self._store = store
        self._tenant = tenant

    def set(
        self, name: str, value: str | Secret[str], *, tenant: str = "", by: str | None = None
    ) -> None:
        """Keep a value under a name, in place of what was there; `NoKeyring` without keys."""
        text = value.reveal() if isinstance(value, Secret) else value
        if not isinstance(text, str) or not 0 < len(text) <= LARGEST:
            raise BadOption(
                f"credential {name!r}: it must be a text of 1 to {LARGEST:,} characters"
            )
        store, whose = self._store(), self._whose(tenant)
        seal = credential_seal(store.keyring, check_name("name", name), whose)
        sealed = seal.seal_text(VALUE, text)
        with recorded(store, "credential.set", name, by=by, tenant=whose):
            store.put_credential(name, sealed, tenant=whose, by=who(by))

    def get(self, name: str, *, tenant: str = "") -> Secret[str]:
        """Return a value, else `CredentialNotFound`; `reveal()` it where it is used."""
        store, whose = self._store(), self._whose(tenant)
        found = store.credential(name, tenant=whose)
        if found is None:
            raise CredentialNotFound(name, whose)
        return Secret(credential_seal(store.keyring, name, whose).open_text(VALUE, found))

    def list(self, *, tenant: str | None = None) -> list[CredentialInfo]:
        """List the names, of one tenant or of all, each with the key that encrypted it."""
        return self._store().credentials(tenant=tenant)

    def remove(self, name: str, *, tenant: str = "") -> bool:
        """Forget a value; False when there was none."""
        store, whose = self._store(), self._whose(tenant)
        with recorded(store, "credential.remove", name, tenant=whose) as doing:
            is_gone = store.delete_credential(name, tenant=whose)
            doing.count = int(is_gone)
        return is_gone

    def _whose(self, tenant: str) -> str:
        return tenant or self._tenant() or ""
