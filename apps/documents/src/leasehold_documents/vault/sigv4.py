"""Amazon's signature, version 4, for requests to S3: what is signed, and how it is written.

https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple
from urllib.parse import quote

_ALGORITHM = "AWS4-HMAC-SHA256"
EMPTY_SHA256 = sha256(b"").hexdigest()


class Signer(NamedTuple):
    """Whose requests they are, and where they go."""

    key_id: str
    key: str
    region: str
    session: str = ""

    def headers(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        headers: Mapping[str, str],
        *,
        body_sha256: str,
        now: datetime,
    ) -> dict[str, str]:
        """Return the headers to send: those given, which must have `host`, and the signature.

        `path` is encoded already (`encode_path`); the query is not.
        """
        moment = f"{now:%Y%m%dT%H%M%SZ}"
        signed = {name.lower(): " ".join(value.split()) for name, value in headers.items()}
        signed |= {"x-amz-content-sha256": body_sha256, "x-amz-date": moment}
        if self.session:
            signed["x-amz-security-token"] = self.session
        names = ";".join(sorted(signed))
        lines = "".join(f"{name}:{signed[name]}\n" for name in sorted(signed))
        request = "\n".join([method, path, encode_query(query), lines, names, body_sha256])
        scope = f"{now:%Y%m%d}/{self.region}/s3/aws4_request"
        text = "\n".join([_ALGORITHM, moment, scope, sha256(request.encode()).hexdigest()])
        signature = hmac.new(self._key_of(now), text.encode(), "sha256").hexdigest()
        credential = f"Credential={self.key_id}/{scope}"
        return {
            **signed,
            "authorization": f"{_ALGORITHM} {credential},SignedHeaders={names},"
            f"Signature={signature}",
        }

    def _key_of(self, now: datetime) -> bytes:
        key = f"AWS4{self.key}".encode()
        for part in (f"{now:%Y%m%d}", self.region, "s3", "aws4_request"):
            key = hmac.digest(key, part.encode(), "sha256")
        return key


def encode_path(path: str) -> str:
    return quote(path, safe="/-_.~")


def encode_query(query: Mapping[str, str]) -> str:
    """Write a query as both the signature and the address have it."""
    pairs = [(quote(name, safe="-_.~"), quote(text, safe="-_.~")) for name, text in query.items()]
    return "&".join(f"{name}={text}" for name, text in sorted(pairs))
