"""`leasehold-documents init`, `tenant`, `user` and `token`, as an operator runs them."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID, uuid4

import jwt
import pytest

from leasehold.kit.data import Database
from leasehold_documents.access import memberships_of
from leasehold_documents.data import people
from tests.documents.cli.kit import Run, runner

SECRET = "a secret of at least 32 characters, as it should be"


def test_init_makes_a_tenant_with_an_admin_once_however_often(run: Run, database: Database) -> None:
    first = run("init", "--tenant", "Lindenhof", "--user", "anna@example.org", "--json").json()
    again = run("init", "--tenant", "Lindenhof", "--user", "anna@example.org", "--json").json()
    assert first == again
    (belongs,) = memberships_of(database, UUID(first["user_id"]))
    assert (belongs.name, belongs.role) == ("Lindenhof", "admin")
    assert str(belongs.tenant_id) == first["tenant_id"]


def test_init_makes_the_file_and_the_tables_of_a_new_database(tmp_path: Path) -> None:
    run = runner(f"sqlite:///{tmp_path / 'new.db'}", tmp_path)
    assert run("tenant").code == 3
    told = run("init", "--user", "anna@example.org")
    assert (told.code, "is ready" in told.out) == (0, True)
    assert "leasehold-documents upload" in told.err
    assert "Meine Organisation" in run("tenant").out


def test_tenants_are_added_and_listed_with_their_prices(run: Run, database: Database) -> None:
    assert "no organization yet" in run("tenant").out
    made = run("tenant", "add", "Bäckerei Sommer", "--json").json()
    assert run("tenant", "price", "Bäckerei Sommer", "--fast", "1", "--hires", "4").code == 0
    (row,) = run("tenant", "list", "--json").json()["tenants"]
    assert (row["id"], row["fast_cents"], row["hires_cents"]) == (made["tenant_id"], 1, 4)
    assert "4 ct" in run("tenant").out
    run("tenant", "price", made["tenant_id"])
    with database.read() as connection:
        found = people.get_organization(connection, UUID(made["tenant_id"]))
    assert found is not None
    assert (found["fast_cents"], found["hires_cents"]) == (None, None)


def test_people_are_let_in_and_change_what_they_are(run: Run) -> None:
    run("tenant", "add", "Lindenhof")
    run("tenant", "add", "Sommer")
    for tenant, role in (("Lindenhof", "reader"), ("Lindenhof", "admin"), ("Sommer", "member")):
        told = run("user", "add", "anna@example.org", "--tenant", tenant, "--role", role)
        assert (told.code, told.out) == (0, f"anna@example.org is {role} now\n")
    (anna,) = run("user", "--json").json()["users"]
    roles = [(each["name"], each["role"]) for each in anna["tenants"]]
    assert roles == [("Lindenhof", "admin"), ("Sommer", "member")]
    assert "Sommer (member)" in run("user").out.replace("\n", " ")


def test_where_there_is_one_organization_nobody_has_to_name_it(run: Run) -> None:
    assert run("user", "add", "anna@example.org").code == 3, "there is none"
    run("tenant", "add", "Lindenhof")
    assert run("user", "add", "anna@example.org").code == 0
    run("tenant", "add", "Sommer")
    refused = run("user", "add", "ben@example.org")
    assert (refused.code, "--tenant" in refused.err) == (2, True)
    named = run("user", "add", "ben@example.org", LEASEHOLD_DOCUMENTS_TENANT="Sommer")
    assert named.code == 0


def test_what_is_not_there_has_an_exit_code_of_its_own(run: Run) -> None:
    run("init", "--user", "anna@example.org")
    for words in (
        ("tenant", "price", "Nowhere"),
        ("user", "add", "x@example.org", "--tenant", str(uuid4())),
        ("token", "nobody@example.org"),
    ):
        said = run(*words, LEASEHOLD_DOCUMENTS_SECRET=SECRET)
        assert (said.code, said.out) == (3, "")


def test_a_token_speaks_for_a_person_until_it_ends(run: Run) -> None:
    user_id = run("init", "--user", "anna@example.org", "--json").json()["user_id"]
    refused = run("token", "anna@example.org")
    assert (refused.code, "LEASEHOLD_DOCUMENTS_SECRET" in refused.err) == (2, True)
    told = run(
        *("token", "anna@example.org", "--expires", "2h"),
        LEASEHOLD_DOCUMENTS_SECRET=SECRET,
        LEASEHOLD_DOCUMENTS_JWT_AUDIENCE="documents",
    )
    claims = jwt.decode(told.out.strip(), SECRET, algorithms=["HS256"], audience="documents")
    assert claims["sub"] == user_id
    assert claims["exp"] - claims["iat"] == 7200


def test_a_setting_that_cannot_be_used_is_refused_and_not_repeated(run: Run) -> None:
    said = run("token", "anna@example.org", LEASEHOLD_DOCUMENTS_FAST_CENTS="swordfish")
    assert said.code == 1
    assert "LEASEHOLD_DOCUMENTS_FAST_CENTS" in said.err
    assert "swordfish" not in said.err


@pytest.mark.parametrize(
    "words", [("serve",), ("migrate",), ("init",), ("tenant", "add"), ("token",)]
)
def test_every_command_tells_what_it_does_and_gives_an_example(
    run: Run, words: tuple[str, ...]
) -> None:
    told = run(*words, "--help")
    assert told.code == 0
    assert f"leasehold-documents {words[0]}" in told.out
