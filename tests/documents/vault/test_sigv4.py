"""Amazon's signature: their published examples, and the same as their own library's, always."""

from __future__ import annotations

from datetime import UTC, datetime
from unittest import mock

import pytest
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from hypothesis import given
from hypothesis import strategies as st

from leasehold_documents.vault.sigv4 import EMPTY_SHA256, Signer, encode_path, encode_query

Request = tuple[str, str, dict[str, str], dict[str, str], str]
# Of "Authenticating Requests: Using the Authorization Header" in the API reference of S3.
MOMENT = datetime(2013, 5, 24, tzinfo=UTC)
EXAMPLE = Signer("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1")
HOST = {"host": "examplebucket.s3.amazonaws.com"}
PUT_HEADERS = {
    "date": "Fri, 24 May 2013 00:00:00 GMT",
    "x-amz-storage-class": "REDUCED_REDUNDANCY",
}
PUT_SHA256 = "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"


EXAMPLES = {
    "get an object": (
        ("GET", "/test.txt", {}, {"range": "bytes=0-9"}, EMPTY_SHA256),
        "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    ),
    "put an object": (
        ("PUT", "/test$file.text", {}, PUT_HEADERS, PUT_SHA256),
        "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
    ),
    "the lifecycle": (
        ("GET", "/", {"lifecycle": ""}, {}, EMPTY_SHA256),
        "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
    ),
    "a list": (
        ("GET", "/", {"max-keys": "2", "prefix": "J"}, {}, EMPTY_SHA256),
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
    ),
}


@pytest.mark.parametrize(("request_", "signature"), EXAMPLES.values(), ids=EXAMPLES)
def test_amazons_published_examples_come_out(request_: Request, signature: str) -> None:
    method, path, query, headers, body = request_
    sent = EXAMPLE.headers(
        method, encode_path(path), query, HOST | headers, body_sha256=body, now=MOMENT
    )
    assert sent["authorization"].endswith(f",Signature={signature}")


_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30)


@given(
    path=_TEXT, query=st.dictionaries(_TEXT, _TEXT, max_size=3), session=st.sampled_from(["", "s"])
)
def test_it_is_the_signature_that_amazons_own_library_makes(
    path: str, query: dict[str, str], session: str
) -> None:
    signer = Signer("id", "key", "eu-central-1", session)
    encoded = encode_path("/" + path.replace("/", ""))
    target = f"https://example.com{encoded}?{encode_query(query)}"
    theirs = AWSRequest("GET", target, headers={"x-amz-content-sha256": EMPTY_SHA256})
    credentials = Credentials("id", "key", session or None)
    with mock.patch("botocore.auth.get_current_datetime", return_value=MOMENT):
        S3SigV4Auth(credentials, "s3", "eu-central-1").add_auth(theirs)
    ours = signer.headers(
        "GET", encoded, query, {"host": "example.com"}, body_sha256=EMPTY_SHA256, now=MOMENT
    )
    signature = theirs.headers["Authorization"].rpartition("Signature=")[2]
    assert ours["authorization"].endswith(signature)
