"""What the database itself lets a tenant do, whatever SQL it runs: see and write its own rows."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from psycopg import errors
from psycopg.sql import SQL, Identifier

from leasehold.model.keys import Unique
from leasehold.model.values import Filter
from leasehold.store import open_store
from leasehold.store.postgres import rights
from leasehold.store.postgres.roles import read_relations
from leasehold.store.tenants.store import TenantStore
from tests.conformance.kit import enqueue_one
from tests.safety.attacks import ALL_ROWS, FOREIGN_NAMES, FOREIGN_ROWS, MORE_RIGHTS, ODD_NAMES
from tests.safety.scene import ACME, GLOBEX, KEY, NAME, build

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.store.base import Store
    from tests.safety.roles import Access
    from tests.safety.scene import Scene

Connection = psycopg.Connection[Any]


@pytest.fixture
def whole(access: Access) -> Iterator[Store]:
    with contextlib.closing(open_store(access.worker)) as store:
        yield store


@pytest.fixture
def scene(whole: Store) -> Scene:
    return build(whole)


@pytest.fixture
def app(access: Access) -> Iterator[Connection]:
    """A connection of the app's login, in autocommit mode."""
    with psycopg.connect(access.app, autocommit=True) as connection:
        yield connection


def act(connection: Connection, tenant: str = ACME) -> None:
    connection.execute("SELECT set_config('leasehold.tenant', %s, true)", (tenant,))


def run(connection: Connection, sql: str) -> int:
    """Run a statement as a tenant, in a transaction of its own; says how many rows it met."""
    with connection.transaction():
        act(connection)
        return connection.execute(sql.encode()).rowcount


def tenant_tables(access: Access) -> list[str]:
    with psycopg.connect(access.admin) as admin:
        return [each.name for each in read_relations(admin) if each.has_tenant]


def count(connection: Connection, table: str) -> int:
    sql = SQL("SELECT count(*) FROM {}").format(Identifier("leasehold", table))
    row = connection.execute(sql).fetchone()
    return 0 if row is None else int(row[0])


def test_without_a_tenant_nothing_is_there(app: Connection, whole: Store, scene: Scene) -> None:
    enqueue_one(whole)  # of the default tenant
    for table in ("job", "ready", "lease", "outcome", "key", "batch", "schedule", "jobs"):
        assert count(app, table) == 0, table
    with app.transaction():
        act(app, "")
        assert count(app, "job") == 0


def test_a_tenant_sees_its_rows_in_every_table(
    access: Access, app: Connection, whole: Store, scene: Scene
) -> None:
    mine = enqueue_one(whole, tenant=ACME)
    with psycopg.connect(access.admin) as admin:
        visible = {table: count(admin, table) for table in tenant_tables(access)}
    assert visible["job"] == 9
    with app.transaction():
        act(app)
        found = app.execute("SELECT id FROM leasehold.jobs").fetchall()
        assert found == [(mine,)]
        assert count(app, "ready") == 1
        for table in ("lease", "outcome", "key", "batch", "schedule", "step", "checkpoint"):
            assert count(app, table) == 0, table
    with app.transaction():
        act(app, GLOBEX)
        assert count(app, "job") == 8
    assert count(app, "job") == 0  # the tenant has ended with its transaction


@pytest.mark.parametrize("table", sorted(rights.NOT_FOR_TENANTS))
def test_what_is_the_operators_can_not_be_read(app: Connection, table: str) -> None:
    with pytest.raises(errors.InsufficientPrivilege):
        count(app, table)


def test_workers_are_not_seen(app: Connection, scene: Scene) -> None:
    with pytest.raises(errors.InsufficientPrivilege):
        run(app, "SELECT queues FROM leasehold.worker")
    assert run(app, "SELECT id, name FROM leasehold.worker") == 0


@pytest.mark.parametrize("sql", FOREIGN_ROWS)
def test_rows_of_another_tenant_can_not_be_written(app: Connection, whole: Store, sql: str) -> None:
    enqueue_one(whole, tenant=ACME, unique=Unique(key=KEY))
    with pytest.raises(errors.InsufficientPrivilege):
        run(app, sql)


@pytest.mark.parametrize("sql", ALL_ROWS)
def test_statements_without_a_condition_meet_only_own_rows(
    app: Connection, scene: Scene, sql: str
) -> None:
    assert run(app, sql) == 0


@pytest.mark.parametrize("sql", FOREIGN_NAMES)
def test_a_row_that_names_what_is_anothers_is_refused(
    app: Connection, whole: Store, scene: Scene, sql: str
) -> None:
    names = {name: getattr(scene, name) for name in ("dead", "waiting", "done", "batch")}
    before = whole.get(scene.waiting), whole.get(scene.dead), whole.get_batch(scene.batch)
    with pytest.raises(psycopg.Error) as refused:
        run(app, sql.format(**names))
    assert (refused.value.sqlstate or "").startswith("LH")
    assert before == (whole.get(scene.waiting), whole.get(scene.dead), whole.get_batch(scene.batch))


def test_sql_callers_have_the_whole_api_for_their_tenant(app: Connection, whole: Store) -> None:
    with app.transaction():
        act(app)
        first = _one(app, "SELECT leasehold.enqueue('greet', tenant => 'acme', key => 'k')")
        again = _one(app, "SELECT leasehold.enqueue('greet', tenant => 'acme', key => 'k')")
        needs = f"after => ARRAY['{first}']::uuid[]"
        behind = _one(app, f"SELECT leasehold.enqueue('greet', tenant => 'acme', {needs})")
        batch = _one(app, 'SELECT leasehold.create_batch(\'{"tenant": "acme"}\')')
        member = _one(
            app, f"SELECT leasehold.enqueue('greet', tenant => 'acme', batch => '{batch}')"
        )
        called = _one(
            app,
            "SELECT leasehold.enqueue('greet', tenant => 'acme', delay => '1 hour',"
            ' on_end => \'{"kind": "mail.done"}\', notify => true)',
        )
    assert first == again
    assert {each.id for each in whole.find(Filter(tenant=ACME), before=None, limit=9)} == {
        first,
        behind,
        member,
        called,
    }
    whole.cancel(called, by=None)
    (callback,) = [job for job in whole.find(Filter(), before=None, limit=9) if "mail" in job.kind]
    assert callback.tenant == ACME


def _one(connection: Connection, sql: str) -> Any:
    row = connection.execute(sql.encode()).fetchone()
    assert row is not None
    return row[0]


def test_an_id_of_another_tenant_is_not_told_from_a_clash_of_ones_own(
    app: Connection, scene: Scene, whole: Store
) -> None:
    mine = enqueue_one(whole, tenant=ACME, kind="other")
    said = []
    for job_id in (scene.waiting, mine):
        with pytest.raises(psycopg.Error) as refused:
            run(app, f"SELECT leasehold.enqueue('greet', tenant => 'acme', id => '{job_id}')")
        said.append((refused.value.sqlstate, str(refused.value).replace(str(job_id), "id")))
    assert said[0] == said[1]


def test_a_tenant_can_not_become_more(access: Access, app: Connection) -> None:
    for role in access.roles[:3]:
        with pytest.raises(errors.InsufficientPrivilege):
            app.execute(f"SET ROLE {role}".encode())
    for sql in MORE_RIGHTS:
        with pytest.raises(errors.InsufficientPrivilege):
            app.execute(sql.encode())


def test_a_setting_for_the_session_is_only_its_own_connections(
    access: Access, app: Connection, scene: Scene
) -> None:
    """An application that sets its tenant for longer has done so itself; ours never do."""
    app.execute("SELECT set_config('leasehold.tenant', 'globex', false)")
    with psycopg.connect(access.app, autocommit=True) as other:
        assert count(other, "job") == 0


def test_a_name_that_looks_like_sql_is_a_tenant_as_any_other(
    access: Access, whole: Store, scene: Scene
) -> None:
    for name in ODD_NAMES:
        store = TenantStore(lambda: whole, name)
        made = enqueue_one(store)
        assert [job.id for job in store.find(Filter(), before=None, limit=9)] == [made]
        assert store.schedule(NAME, tenant="") is None


def test_a_tenants_request_is_made_as_the_apps_role_also_by_the_workers_login(
    access: Access, whole: Store, scene: Scene
) -> None:
    bounded: Any = whole.as_tenant(ACME)  # without what leasehold itself does to keep them apart
    with bounded._lend() as connection:
        assert connection.execute("SELECT current_user::text, leasehold.tenant()").fetchone() == (
            access.roles.app,
            ACME,
        )
    assert bounded.find(Filter(), before=None, limit=99) == []
    assert bounded.get(scene.waiting) is None
    assert bounded.cancel(scene.waiting, by=None) is None
    assert bounded.get_batch(scene.batch) is None
    assert bounded.schedules() == []
    with bounded._lend() as connection, pytest.raises(errors.InsufficientPrivilege):
        connection.execute("SELECT * FROM leasehold.worker")
