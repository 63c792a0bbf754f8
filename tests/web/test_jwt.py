"""JSON web tokens: believed only as they are configured, whatever a token says of itself."""

from __future__ import annotations

import base64
import json
import time
from typing import TYPE_CHECKING, Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from msgspec import structs

from leasehold.errors import BadOption
from leasehold.model.access import Right
from leasehold.web import JwtSettings, WebSettings
from leasehold.web.access.jwt import JwtChecker

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.web.kit import Service

ISSUER, AUDIENCE = "https://id.example", "leasehold"


@pytest.fixture(scope="module")
def key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65_537, key_size=2_048)


@pytest.fixture(scope="module")
def other_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65_537, key_size=2_048)


def jwk(key: rsa.RSAPrivateKey, name: str = "first") -> dict[str, Any]:
    made: dict[str, Any] = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key()))
    return made | {"kid": name, "alg": "RS256", "use": "sig"}


@pytest.fixture
def settings(tmp_path: Path, key: rsa.RSAPrivateKey) -> JwtSettings:
    path = tmp_path / "jwks.json"
    path.write_text(json.dumps({"keys": [jwk(key)]}))
    return JwtSettings(jwks=str(path), issuer=ISSUER, audience=AUDIENCE)


def claims(**changes: Any) -> dict[str, Any]:
    said: dict[str, Any] = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": "ana",
        "exp": time.time() + 300,
        "scope": "openid leasehold:operate",
    }
    return {name: value for name, value in (said | changes).items() if value is not None}


def sign(
    key: Any, said: dict[str, Any], *, kid: str | None = "first", algorithm: str = "RS256"
) -> str:
    headers = {} if kid is None else {"kid": kid}
    return jwt.encode(said, key, algorithm=algorithm, headers=headers)


def test_a_token_says_who_it_is_and_what_they_may_do(
    settings: JwtSettings, key: rsa.RSAPrivateKey
) -> None:
    checker = JwtChecker(settings)
    holder = checker.check(sign(key, claims()))
    assert holder is not None
    assert (holder.name, holder.right, holder.tenant) == ("ana", Right.OPERATE, None)
    assert holder.expires_at is not None
    both = claims(scope=["leasehold:read", "leasehold:admin"], aud=[AUDIENCE, "other"])
    highest = checker.check(sign(key, both))
    assert highest is not None
    assert highest.right is Right.ADMIN


@pytest.mark.parametrize(
    "wrong",
    [
        {"iss": "https://evil.example"},
        {"iss": ISSUER + "/"},
        {"iss": None},
        {"aud": "leasehold-too"},
        {"aud": ["other"]},
        {"aud": None},
        {"exp": 1},
        {"exp": None},
        {"nbf": 99_999_999_999},
        {"scope": "leasehold:root"},
        {"scope": "operate"},
        {"scope": None},
        {"scope": {"leasehold:admin": True}},
        {"sub": None},
        {"sub": ""},
        {"sub": "a\nb"},
        {"sub": "a" * 300},
    ],
)
def test_what_is_not_exactly_right_is_refused(
    settings: JwtSettings, key: rsa.RSAPrivateKey, wrong: dict[str, Any]
) -> None:
    assert JwtChecker(settings).check(sign(key, claims(**wrong))) is None


def test_a_token_does_not_choose_how_it_is_checked(
    settings: JwtSettings, key: rsa.RSAPrivateKey, other_key: rsa.RSAPrivateKey
) -> None:
    checker = JwtChecker(settings)
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    forged = _signed_with_public_key(public, claims())
    unsigned = jwt.encode(claims(), "", algorithm="none", headers={"kid": "first"})
    elliptic = ec.generate_private_key(ec.SECP256R1())
    attempts = [
        forged,
        unsigned,
        unsigned + "x",
        sign(other_key, claims()),
        sign(key, claims(), kid="unknown"),
        sign(key, claims(), kid=None),
        sign(key, claims(), algorithm="RS512"),
        sign(elliptic, claims(), algorithm="ES256"),
        sign(key, claims())[:-4] + "AAAA",
        "a.b.c",
        "..",
        "x" * 20_000,
        "",
    ]
    assert [checker.check(each) for each in attempts] == [None] * len(attempts)


def _signed_with_public_key(public: bytes, said: dict[str, Any]) -> str:
    """Sign with the public key as if it were a secret; PyJWT itself would refuse to."""
    import hashlib
    import hmac

    def pack(value: Any) -> bytes:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")

    text = pack({"alg": "HS256", "typ": "JWT", "kid": "first"}) + b"." + pack(said)
    mark = base64.urlsafe_b64encode(hmac.new(public, text, hashlib.sha256).digest()).rstrip(b"=")
    return (text + b"." + mark).decode()


def test_with_a_tenant_claim_everybody_is_bound(
    settings: JwtSettings, key: rsa.RSAPrivateKey
) -> None:
    checker = JwtChecker(structs.replace(settings, tenant_claim="org"))
    bound = checker.check(sign(key, claims(org="acme")))
    assert bound is not None
    assert bound.tenant == "acme"
    for wrong in (None, "", ["acme"], 7):
        assert checker.check(sign(key, claims(org=wrong))) is None
    free = checker.check(sign(key, claims(scope="leasehold:admin leasehold:all-tenants")))
    assert free is not None
    assert free.tenant is None


def test_keys_are_read_again_for_one_that_is_unknown_but_not_too_often(
    settings: JwtSettings, key: rsa.RSAPrivateKey, other_key: rsa.RSAPrivateKey
) -> None:
    now = 0.0
    checker = JwtChecker(settings, clock=lambda: now)
    assert checker.check(sign(key, claims())) is not None
    from pathlib import Path

    Path(settings.jwks).write_text(json.dumps({"keys": [jwk(other_key, "second")]}))
    new = sign(other_key, claims(), kid="second")
    assert checker.check(new) is None  # it has looked just now
    now = 11.0
    assert checker.check(new) is not None
    assert checker.check(sign(key, claims())) is None  # its key was withdrawn
    Path(settings.jwks).write_text("{")
    now = 700.0
    assert checker.check(new) is not None  # the keys that are known stay


@pytest.mark.parametrize(
    "changes",
    [
        {"algorithms": ("HS256",)},
        {"algorithms": ("none",)},
        {"algorithms": ()},
        {"issuer": ""},
        {"audience": ""},
        {"jwks": "http://id.example/keys"},
    ],
)
def test_settings_that_would_believe_anybody_are_refused(
    settings: JwtSettings, changes: dict[str, Any]
) -> None:
    with pytest.raises(BadOption):
        JwtChecker(structs.replace(settings, **changes))


def test_the_service_takes_them_beside_its_own_tokens_and_for_the_login(
    serve: Callable[[WebSettings], Service], settings: JwtSettings, key: rsa.RSAPrivateKey
) -> None:
    service = serve(WebSettings(jwt=structs.replace(settings, tenant_claim="org")))
    assert service.refused(401, "GET", "/api/jobs")
    token = sign(key, claims(org="acme"))
    headers = {"authorization": f"Bearer {token}"}
    assert service.get("/api/identity", headers=headers)["tenant"] == "acme"
    assert service.refused(403, "GET", "/api/workers", headers=headers)
    done = service._request("POST", "/login", data={"token": token})
    assert done.status_code == 303
    session = {"cookie": done.headers["set-cookie"].partition(";")[0]}
    assert service.get("/api/identity", headers=session)["tenant"] == "acme"
