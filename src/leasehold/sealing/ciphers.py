"""AES-GCM with one key: a nonce, the text and its tag as base64, bound to where it stands."""

from __future__ import annotations

import hmac
import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import TYPE_CHECKING

from leasehold.errors import BadCiphertext, CryptoMissing

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES = 32
_NONCE_BYTES = 12
_TAG_BYTES = 16


class Cipher:
    """Encrypts and decrypts with one key. Safe in threads."""

    __slots__ = ("_aead", "_nonce_secret")

    def __init__(self, secret: bytes) -> None:
        self._aead = _aead(derive(secret, "encrypt"))
        self._nonce_secret = derive(secret, "nonce")

    def seal(self, plain: bytes, place: bytes, *, repeats: bool = False) -> str:
        """Encrypt what stands at a place. With `repeats` the same text there is the same again.

        An enqueue that is repeated after a lost answer must send what it sent before. Its nonce is
        a keyed hash of all that it covers: the same one twice means the same text twice.
        """
        nonce = self._nonce(plain, place) if repeats else os.urandom(_NONCE_BYTES)
        return _to_text(nonce + self._aead.encrypt(nonce, plain, place))

    def open(self, sealed: str, place: bytes) -> bytes:
        """Decrypt; `BadCiphertext` when it was changed, or moved here from another place."""
        raw = _to_bytes(sealed)
        if len(raw) < _NONCE_BYTES + _TAG_BYTES:
            raise BadCiphertext("it is cut off")
        from cryptography.exceptions import InvalidTag

        try:
            return self._aead.decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], place)
        except InvalidTag as error:
            raise BadCiphertext("it was changed, or belongs to another job") from error

    def _nonce(self, plain: bytes, place: bytes) -> bytes:
        length = len(place).to_bytes(8, "big")
        return hmac.digest(self._nonce_secret, length + place + plain, "sha256")[:_NONCE_BYTES]


def derive(secret: bytes, purpose: str) -> bytes:
    """Make a key for one purpose of one that is drawn at random."""
    return hmac.digest(secret, b"leasehold " + purpose.encode(), "sha256")


def _aead(key: bytes) -> AESGCM:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError as error:
        raise CryptoMissing from error
    return AESGCM(key)


def _to_text(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def _to_bytes(text: str) -> bytes:
    try:
        return urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError as error:
        raise BadCiphertext("it is no base64") from error
