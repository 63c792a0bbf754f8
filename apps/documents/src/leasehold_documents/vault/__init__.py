"""Where the files are: a folder, or storage that speaks Amazon's S3 protocol, behind one interface.

    vault = vault_of(settings())
    vault.put(original_key(tenant_id, document_id, "Mietvertrag.pdf"), file)

Workers on other machines need the second one, or a folder that all of them share.
"""

from leasehold_documents.vault.interface import Vault
from leasehold_documents.vault.keys import derived_key, original_key, prefixes_of, safe_name
from leasehold_documents.vault.opening import close_vaults, vault_of

__all__ = [
    "Vault",
    "close_vaults",
    "derived_key",
    "original_key",
    "prefixes_of",
    "safe_name",
    "vault_of",
]
