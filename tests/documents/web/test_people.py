"""Who gets in, and to which tenant: tokens, sessions of the service, and nobody at all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from uuid import uuid4

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from sqlalchemy import text

from leasehold_documents.access import create_user
from leasehold_documents.settings import lending
from tests.documents.web.kit import SECRET, serve_inside, settings_for, token_of
from tests.web.test_jwt import jwk

if TYPE_CHECKING:
    from pathlib import Path

    import leasehold as lh
    from leasehold.kit.data import Database
    from tests.documents.access.kit import Two
    from tests.documents.web.kit import DocumentAsker


def test_a_token_says_who_it_is_and_the_header_where(asker: DocumentAsker, two: Two) -> None:
    me = asker.as_user(two.ada).get("/api/me")
    assert (me["user_id"], me["is_asked"]) == (str(two.ada), True)
    assert [each["name"] for each in me["organizations"]] == ["Erste GmbH"]
    eve = asker.as_user(two.eve)
    assert eve.refused(400, "GET", "/api/documents")["type"].endswith(":tenant-needed")
    for tenant in (two.first, two.second):
        assert asker.as_user(two.eve, tenant).get("/api/documents")["documents"] == []


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_what_is_no_good_token_gets_nothing(asker: DocumentAsker, two: Two) -> None:
    now = {"sub": str(two.ada), "exp": 4_000_000_000}
    bad = {
        "expired": token_of(two.ada, seconds=-60),
        "of another secret": token_of(two.ada, secret="another secret, which is as long as ours"),
        "unsigned": jwt.encode(now, "", algorithm="none"),
        "without an end": jwt.encode({"sub": str(two.ada)}, SECRET, algorithm="HS256"),
        "of nobody": jwt.encode({"sub": "ada", "exp": 4_000_000_000}, SECRET, algorithm="HS256"),
        "with another algorithm": jwt.encode(now, SECRET * 2, algorithm="HS512"),
        "no token": "ada",
        "empty": "",
        "huge": "a." * 10_000,
    }
    for what, token in bad.items():
        answer = asker.ask("GET", "/api/me", headers={"authorization": f"Bearer {token}"})
        assert (answer.status_code, what) == (401, what)
        assert answer.headers["www-authenticate"].startswith("Bearer")
    basic = asker.ask("GET", "/api/me", headers={"authorization": "Basic YWRhOmFkYQ=="})
    assert basic.status_code == 401
    assert asker.ask("GET", "/api/me").status_code == 401
    stranger = asker.as_user(uuid4()).refused(403, "GET", "/api/me")
    assert stranger["type"].endswith(":unknown-user")


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_issuer_and_audience_are_the_very_ones_if_they_are_said(
    queue: lh.Client, two: Two, tmp_path: Path
) -> None:
    said = settings_for(tmp_path, jwt_issuer="https://id.example", jwt_audience="documents")
    with lending(said), serve_inside(queue) as asker:
        right = {"iss": "https://id.example", "aud": "documents"}
        assert asker.as_user(two.ada, None, **right).get("/api/me")["user_id"] == str(two.ada)
        for wrong in ({"iss": "https://evil.example"}, {"aud": "others"}):
            asker.as_user(two.ada, None, **(right | wrong)).refused(401, "GET", "/api/me")
        asker.as_user(two.ada).refused(401, "GET", "/api/me")


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_tokens_of_an_issuer_are_believed_by_its_keys_alone(
    queue: lh.Client, two: Two, tmp_path: Path
) -> None:
    key, other = (rsa.generate_private_key(65_537, 2_048) for _ in range(2))
    keys = tmp_path / "jwks.json"
    keys.write_text(json.dumps({"keys": [jwk(key)]}))
    names = {"iss": "https://id.example", "aud": "documents"}
    said = settings_for(
        tmp_path, jwks_url=str(keys), jwt_issuer=names["iss"], jwt_audience=names["aud"]
    )
    claims = {"sub": str(two.ada), "exp": 4_000_000_000} | names
    head = {"kid": "first"}
    with lending(said), serve_inside(queue) as asker:

        def status(token: str) -> int:
            headers = {"authorization": f"Bearer {token}"}
            return asker.ask("GET", "/api/me", headers=headers).status_code

        assert status(jwt.encode(claims, key, "RS256", head)) == 200
        assert status(jwt.encode(claims, other, "RS256", head)) == 401
        assert status(jwt.encode(claims | {"aud": "others"}, key, "RS256", head)) == 401
        assert status(jwt.encode(claims | {"exp": 1}, key, "RS256", head)) == 401
        # Where an issuer is named, our own secret signs nobody in.
        assert status(jwt.encode(claims, SECRET, "HS256", head)) == 401


def test_another_tenant_is_refused_and_that_is_written_down(
    asker: DocumentAsker, two: Two, database: Database
) -> None:
    foreign = asker.as_user(two.ada, two.second)
    assert foreign.refused(403, "GET", "/api/documents")["type"].endswith(":forbidden")
    foreign.refused(403, "GET", "/api/search?q=vertrag")
    asker.as_user(two.ada, uuid4()).refused(403, "GET", "/api/documents")
    asker.as_user(two.ada).refused(400, "GET", "/api/me/../documents", headers={"x-tenant": "x"})
    with database.read() as connection:
        rows = connection.execute(text("SELECT action, user_id FROM document_audit")).all()
    assert {(row.action, str(row.user_id)) for row in rows} == {("tenant.refused", str(two.ada))}
    assert len(rows) == 3


def test_who_only_reads_changes_nothing(asker: DocumentAsker, two: Two, database: Database) -> None:
    from leasehold_documents.access import add_member

    reader = create_user(database, "rita@example.com")
    add_member(database, reader, two.first, "reader")
    rita = asker.as_user(reader)
    assert rita.get("/api/documents")["documents"] == []
    assert rita.post("/api/notifications/read") == {"count": 0}
    answer = rita.ask("POST", "/api/documents", content=b"text")
    assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (403, "forbidden")
    assert 'id="drop"' not in rita.page("/papers")


def test_a_token_of_the_service_is_somebody_whose_address_it_has(
    asker: DocumentAsker, two: Two
) -> None:
    eve = asker.as_token("eve@example.com", scope="operate")
    tenants = [each["tenant_id"] for each in eve.get("/api/me")["organizations"]]
    assert tenants == [str(two.first), str(two.second)]
    bound = asker.as_token(str(two.eve), scope="operate", tenant=str(two.second))
    assert bound.get("/api/documents")["documents"] == []
    bound.refused(403, "GET", "/api/documents", headers={"x-tenant": str(two.first)})
    reading = asker.as_token("ada@example.com", scope="read")
    assert reading.get("/api/documents")["documents"] == []
    refused = reading.refused(403, "POST", "/api/documents", content=b"text")
    assert refused["type"].endswith(":wrong-scope")
    asker.as_token("nobody", scope="admin").refused(403, "GET", "/api/documents")
    assert asker.as_user(two.ada).get("/api/me")["user_id"] == str(two.ada)  # ours still hold


def test_without_a_secret_everybody_is_the_demos_user_and_that_is_said(
    queue: lh.Client, database: Database, tmp_path: Path
) -> None:
    with lending(settings_for(tmp_path, secret="")), serve_inside(queue) as asker:
        nobody = asker.refused(403, "GET", "/api/me")
        assert nobody["type"].endswith(":nobody-yet")
        from tests.documents.access.kit import make_two

        make_two(database)
        assert asker.get("/api/me")["is_asked"] is False
        assert "Nobody is asked who they are" in asker.page("/")
        token = {"authorization": f"Bearer {token_of(uuid4())}"}
        asker.refused(401, "GET", "/api/me", headers=token)


def test_a_browser_signs_in_by_a_cookie_that_no_other_site_can_use(
    asker: DocumentAsker, two: Two
) -> None:
    led = asker.ask("GET", "/papers", headers={"accept": "text/html"})
    assert (led.status_code, led.headers["location"]) == (
        303,
        "/documents/sign-in?next=/documents/papers",
    )
    wrong = asker.send("/sign-in", {"token": "wrong", "next": ""})
    assert (wrong.status_code, 'role="alert"' in wrong.text) == (401, True)
    token = token_of(two.eve)
    done = asker.send("/sign-in", {"token": token, "next": "/documents/papers"})
    assert (done.status_code, done.headers["location"]) == (303, "/documents/papers")
    for word in ("HttpOnly", "SameSite=strict", "Path=/documents"):
        assert word in done.headers["set-cookie"]
    elsewhere = asker.send("/sign-in", {"token": token, "next": "https://evil.example/"})
    assert elsewhere.headers["location"] == "/documents/"
    session = {"cookie": done.headers["set-cookie"].partition(";")[0]}
    assert "Zweite AG" in asker.page("/papers", headers=session)
    silent = asker.ask("POST", "/api/notifications/read", headers=session)
    assert (silent.status_code, silent.json()["type"].rpartition(":")[2]) == (403, "wrong-csrf")
    own = session | {"origin": "http://127.0.0.1", "x-tenant": str(two.first)}
    assert asker.ask("POST", "/api/notifications/read", headers=own).status_code == 200
    out = asker.ask("POST", "/sign-out", headers=own | {"accept": "text/html"})
    assert "Max-Age=0" in out.headers["set-cookie"]


def test_an_organization_is_chosen_on_a_page(asker: DocumentAsker, two: Two) -> None:
    eve, both = asker.as_user(two.eve), asker.as_user(two.eve, two.second)
    both.upload(b"Nur in der Zweiten", "zweite.txt")
    assert "zweite.txt" not in eve.page("/papers")  # the first by name
    chosen = eve.ask("GET", f"/tenant?to={two.second}&back=/documents/papers")
    assert (chosen.status_code, chosen.headers["location"]) == (303, "/documents/papers")
    cookie = {"cookie": chosen.headers["set-cookie"].partition(";")[0]}
    assert "zweite.txt" in eve.page("/papers", headers=cookie)
    assert len(eve.get("/api/documents", headers=cookie)["documents"]) == 1
    ada = asker.as_user(two.ada)
    assert "set-cookie" not in ada.ask("GET", f"/tenant?to={two.second}").headers
    assert "zweite.txt" not in ada.page("/papers", headers=cookie)
