"""Opens office files that a password protects; the password is in memory only."""

from __future__ import annotations

import io
from typing import BinaryIO

import msoffcrypto
from msoffcrypto.exceptions import DecryptionError, InvalidKeyError

from leasehold_documents.errors import Rejected


def unlocked(source: BinaryIO, password: str | None) -> io.BytesIO:
    """Return what is inside; `DOCUMENT_ENCRYPTED` without the right password."""
    if password is None:
        raise Rejected("DOCUMENT_ENCRYPTED", "it needs a password")
    plain = io.BytesIO()
    try:
        locked = msoffcrypto.OfficeFile(source)
        locked.load_key(password=password, verify_password=True)
        locked.decrypt(plain)
    except (InvalidKeyError, DecryptionError) as error:
        raise Rejected("DOCUMENT_ENCRYPTED", "this password does not open it") from error
    plain.seek(0)
    return plain
