"""`leasehold migrate --roles`: made once, right again at any time; who passes it serves nobody."""

from __future__ import annotations

import contextlib
import secrets
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from psycopg.sql import SQL, Identifier, Literal

import leasehold as lh
from leasehold.errors import BadOption, StoreRefused
from leasehold.store import open_store
from leasehold.store.migrations import Migration, load_migrations
from leasehold.store.postgres.roles import read_relations
from leasehold.store.tenants.store import TenantStore
from tests.conformance.kit import enqueue_one, look
from tests.safety.roles import PASSWORD, access_to, database_with_roles, drop_roles, login
from tests.safety.scene import ACME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.store.base import Store
    from tests.postgres_server import PostgresServer
    from tests.safety.roles import Access

OWNED = """
SELECT DISTINCT pg_get_userbyid(relowner) FROM pg_class
WHERE relnamespace = 'leasehold'::regnamespace AND relkind IN ('r', 'v', 'S')
"""


@contextlib.contextmanager
def opened(url: str) -> Iterator[Store]:
    with contextlib.closing(open_store(url)) as store:
        yield store


@pytest.fixture
def own_access(postgres_server: PostgresServer) -> Iterator[Access]:
    """A database with roles that a test may change."""
    with database_with_roles(postgres_server) as access:
        yield access


def execute(url: str, sql: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(sql.encode())
        return cursor.fetchall() if cursor.description else []


def test_a_second_run_changes_nothing_and_says_so(access: Access) -> None:
    with opened(access.admin) as store:
        assert store.set_up_roles(access.prefix) == ()
        assert store.set_up_roles() == ()  # the prefix is known
        with pytest.raises(StoreRefused, match=access.prefix):
            store.set_up_roles("another_")


def test_a_dry_run_says_what_would_be_done_and_does_nothing(
    postgres_server: PostgresServer,
) -> None:
    url = postgres_server.create_database()
    prefix = f"t{secrets.token_hex(4)}_"
    try:
        with opened(url) as store:
            store.migrate()
            planned = store.set_up_roles(prefix, dry_run=True)
            assert execute(url, f"SELECT FROM pg_roles WHERE rolname LIKE '{prefix}%'") == []
            assert store.set_up_roles(prefix) == planned
        assert f"role {prefix}owner" in planned
        assert any("job: row level security, forced" in each for each in planned)
    finally:
        postgres_server.drop_database(url)
        drop_roles(postgres_server, prefix)


def test_what_somebody_has_loosened_is_made_right_again(own_access: Access) -> None:
    for sql in (
        "ALTER TABLE leasehold.key NO FORCE ROW LEVEL SECURITY",
        "ALTER POLICY leasehold_app ON leasehold.job USING (true)",
        f"GRANT SELECT ON leasehold.bucket TO {own_access.roles.app}",
        "ALTER VIEW leasehold.jobs SET (security_invoker = false)",
        "CREATE TABLE leasehold.invoice (id uuid, tenant text NOT NULL)",
    ):
        execute(own_access.admin, sql)
    with opened(own_access.admin) as store:
        changed = store.set_up_roles()
        assert store.set_up_roles() == ()
    text = "\n".join(changed)
    assert "key: row level security, forced" in text
    assert "jobs: shows what its reader may see" in text
    assert "invoice: policy leasehold_app" in text
    assert f"invoice: {own_access.roles.app}" not in text  # what tenants may do is said in code
    readable = "SELECT has_table_privilege('{}', 'leasehold.bucket', 'SELECT')"
    assert execute(own_access.admin, readable.format(own_access.roles.app)) == [(False,)]


def test_who_may_make_roles_need_not_be_a_superuser(postgres_server: PostgresServer) -> None:
    url = postgres_server.create_database()
    prefix = f"t{secrets.token_hex(4)}_"
    chief = f"{prefix}chief"
    database = url.rpartition("/")[2]
    try:
        with psycopg.connect(url, autocommit=True) as admin:
            made = SQL("CREATE ROLE {} LOGIN CREATEROLE PASSWORD {}")
            admin.execute(made.format(Identifier(chief), Literal(PASSWORD)))
            allowed = SQL("GRANT CREATE ON DATABASE {} TO {}")
            admin.execute(allowed.format(Identifier(database), Identifier(chief)))
        with opened(login(url, chief)) as store:
            store.migrate()
            assert store.set_up_roles(prefix) != ()
            assert store.set_up_roles(prefix) == ()
        assert execute(url, OWNED) == [(f"{prefix}owner",)]
        members = f"SELECT pg_has_role('{chief}', '{prefix}migrator', 'USAGE')"
        assert execute(url, members) == [(True,)]  # who owned the tables goes on migrating them
        with opened(access_to(url, prefix).worker) as worker:
            assert look(worker, enqueue_one(TenantStore(lambda: worker, ACME))).tenant == ACME
    finally:
        postgres_server.drop_database(url)
        drop_roles(postgres_server, prefix, chief)


def test_the_migrator_migrates_as_the_owner_and_new_tables_have_their_policies(
    own_access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = "CREATE TABLE leasehold.invoice (id uuid, tenant text NOT NULL)"
    step = Migration(version=9_999, name="9999_invoices", serves_from=1, sql=made)
    known = (*load_migrations("leasehold.store.postgres"), step)
    monkeypatch.setattr("leasehold.store.postgres.schema.load_migrations", lambda _: known)
    with opened(own_access.worker) as store, pytest.raises(StoreRefused):
        store.migrate()
    with opened(own_access.migrator) as store:
        assert store.migrate() == ("9999_invoices",)
        assert store.set_up_roles() == ()  # its rights and policies came with it
    assert execute(own_access.admin, OWNED) == [(own_access.roles.owner,)]
    with psycopg.connect(own_access.admin) as admin:
        (invoice,) = [each for each in read_relations(admin) if each.name == "invoice"]
    assert (invoice.is_forced, invoice.has_policy) == (True, True)
    with opened(own_access.worker) as store:
        assert store.migrate() == ()  # nothing is missing, so it needs no right to
        with pytest.raises(StoreRefused):
            store.set_up_roles()


@pytest.mark.parametrize("who", ["admin", "migrator", "bypass", "stranger"])
def test_who_is_not_bound_by_policies_may_not_serve_tenants(
    own_access: Access, postgres_server: PostgresServer, who: str
) -> None:
    name = f"{own_access.prefix}{who}"
    execute(
        own_access.admin,
        f"CREATE ROLE {own_access.prefix}bypass LOGIN BYPASSRLS PASSWORD '{PASSWORD}' "
        f"IN ROLE {own_access.roles.worker};"
        f"CREATE ROLE {own_access.prefix}stranger LOGIN PASSWORD '{PASSWORD}';"
        f"GRANT USAGE ON SCHEMA leasehold TO {own_access.prefix}stranger",
    )
    url = own_access.admin if who == "admin" else login(own_access.admin, name)
    try:
        with opened(url) as store:
            with pytest.raises(StoreRefused, match="tenants' requests are refused"):
                store.check_role()
            with pytest.raises(StoreRefused, match="tenants' requests are refused"):
                lh.Client(store=store).for_tenant(ACME).find()
            if who in {"admin", "bypass"}:
                said = [each for each in store.examine() if each.topic == "tenants"]
                assert [each.level for each in said] == ["problem"]
    finally:
        execute(
            own_access.admin, f"REVOKE USAGE ON SCHEMA leasehold FROM {own_access.prefix}stranger"
        )
        execute(
            own_access.admin, f"DROP ROLE {own_access.prefix}bypass, {own_access.prefix}stranger"
        )


def test_a_worker_does_not_start_as_a_superuser_where_there_are_roles(access: Access) -> None:
    @lh.task(name="roles.noop")
    def noop() -> None: ...

    with opened(access.admin) as store:
        worker = lh.Worker(lh.Client(store=store), [noop])
        with pytest.raises(StoreRefused, match="superuser"):
            worker.run(until_empty=True)
    with opened(access.worker) as store:
        assert lh.Worker(lh.Client(store=store), [noop]).run(until_empty=True).failed == 0


def test_without_roles_everybody_is_served_as_before(postgres_url: str) -> None:
    with opened(postgres_url) as store:
        store.migrate()
        store.check_role()
        acme = TenantStore(lambda: store, ACME)
        made = enqueue_one(acme)
        assert look(acme, made).tenant == ACME
        said = [each for each in store.examine() if each.topic == "tenants"]
        assert [each.level for each in said] == ["ok"]
        secured = (
            "SELECT FROM pg_class WHERE relrowsecurity AND relnamespace = 'leasehold'::regnamespace"
        )
        assert execute(postgres_url, secured) == []


def test_a_file_has_no_roles(sqlite_url: str) -> None:
    with opened(sqlite_url) as store, pytest.raises(StoreRefused, match="has no roles"):
        store.set_up_roles()


@pytest.mark.parametrize("prefix", ["", "Upper_", "a b", "x; DROP", "1a", "a" * 41])
def test_a_prefix_is_a_plain_name(access: Access, prefix: str) -> None:
    with opened(access.admin) as store:
        if prefix == "":
            assert store.set_up_roles(prefix) == ()
            return
        with pytest.raises(BadOption):
            store.set_up_roles(prefix)
