"""With the queue's own roles (`leasehold migrate --roles`) all of it works for workers' logins."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

import leasehold as lh
from leasehold.kit.data import Database, close_databases, database_of
from leasehold_documents import searching
from leasehold_documents.access import Access, Service
from leasehold_documents.data import audit
from leasehold_documents.data.migrating import MIGRATIONS
from leasehold_documents.errors import NotOfRole, RolesRefused
from tests.documents.access.kit import Two, add_document, make_two
from tests.documents.data.kit import enqueue, extract, run
from tests.documents.flow.kit import another_tenant, open_office
from tests.documents.owning import owned_database
from tests.safety.roles import Access as Logins
from tests.safety.roles import access_to, database_with_roles, drop_roles

if TYPE_CHECKING:
    from tests.postgres_server import PostgresServer


@pytest.fixture(scope="module")
def logins(postgres_server: PostgresServer) -> Iterator[Logins]:
    """A database with roles, whose tables a superuser has made."""
    with database_with_roles(postgres_server) as logins:
        with lh.Client(logins.admin) as client:
            assert MIGRATIONS.migrate(client)
        yield logins


@pytest.fixture
def worker(logins: Logins) -> Iterator[lh.Client]:
    """The login that workers and the service have, which is no superuser."""
    with lh.Client(logins.worker) as client:
        yield client


@pytest.fixture
def of_worker(worker: lh.Client) -> Database:
    return database_of(worker.url)


@pytest.fixture(scope="module")
def people(logins: Logins) -> Two:
    return make_two(database_of(logins.worker))


def test_a_person_writes_and_enqueues_and_sees_the_job(
    worker: lh.Client, of_worker: Database, people: Two
) -> None:
    ada = Access(worker, of_worker, people.ada, people.first)
    with ada.write() as session:
        add_document(session.connection(), people.first)
        task = extract.with_options(created_by=str(people.ada))
        job = ada.on(session).enqueue(task, people.ada, "unstructured_fast")
    run(worker)
    assert ada.client.get(job.id).state == lh.State.SUCCEEDED
    with ada.browse() as connection:
        found = connection.exec_driver_sql("SELECT id, status FROM jobs").all()
    assert [tuple(row) for row in found] == [(job.id, "done")]
    bob = Access(worker, of_worker, people.bob, people.second)
    with bob.browse() as connection:
        assert not connection.exec_driver_sql("SELECT * FROM jobs").all()
        assert not connection.exec_driver_sql("SELECT * FROM documents").all()


def test_a_worker_claims_by_sql(logins: Logins, worker: lh.Client, people: Two) -> None:
    job_id = enqueue(worker, people.first)
    with psycopg.connect(logins.worker, autocommit=True) as sql:
        row = sql.execute("SELECT id FROM claim_next_job('foreign', '1 minute')").fetchone()
    assert row == (job_id,)


def test_the_service_works_for_all(worker: lh.Client, of_worker: Database, people: Two) -> None:
    service = Service(worker, of_worker)
    with service.write() as session:
        add_document(session.connection(), people.second)
        service.on(session).enqueue(
            extract.with_options(tenant=str(people.second)), people.ada, "unstructured_fast"
        )
    with service.browse() as connection:
        found = connection.exec_driver_sql("SELECT tenant_id FROM jobs").scalars().all()
    assert people.second in found


def test_a_job_writes_in_its_own_transaction(
    worker: lh.Client, of_worker: Database, people: Two
) -> None:
    @lh.task(name="classify_document", queue="documents")
    def classify() -> None:
        job = lh.current_job()
        service = Service(job.client, database_of(job.client.url))
        with job.transaction() as own, service.joined(own) as connection:
            add_document(connection, people.second, "made by a job")
            service.on(connection).enqueue(
                extract.with_options(tenant=str(people.second)), people.ada, "unstructured_fast"
            )

    job = worker.for_tenant(str(people.second)).enqueue(classify)
    lh.Worker(worker, [classify], poll="50ms").run(max_jobs=1)
    assert worker.get(job.id).state == lh.State.SUCCEEDED
    with of_worker.read() as connection:
        names = connection.exec_driver_sql("SELECT name FROM documents").scalars().all()
    assert "made by a job" in names


def test_the_tenants_login_of_the_queue_sees_nothing_of_the_papers(logins: Logins) -> None:
    with (
        psycopg.connect(logins.app, autocommit=True) as sql,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        sql.execute("SELECT * FROM documents")


def test_a_login_that_was_given_no_role_is_told_what_to_do(logins: Logins) -> None:
    """As workers' logins are, whose roles were made after the tables."""
    with (
        lh.Client(logins.app) as client,
        pytest.raises(NotOfRole, match="leasehold-documents migrate"),
        Service(client, database_of(client.url)).read(),
    ):
        pytest.fail("reads")


def test_who_does_not_own_the_tables_migrates_in_peace(worker: lh.Client) -> None:
    assert MIGRATIONS.migrate(worker) == []


def test_roles_that_come_later_are_given_their_due(postgres_server: PostgresServer) -> None:
    url = postgres_server.create_database()
    prefix = f"t{secrets.token_hex(4)}_"
    try:
        with lh.Client(url) as client:
            client.store.migrate()
            assert MIGRATIONS.migrate(client)
            client.store.set_up_roles(prefix)
            logins = access_to(url, prefix)
            with lh.Client(logins.worker) as worker:
                with pytest.raises(NotOfRole):
                    audit.record(database_of(worker.url), "too early")
                assert MIGRATIONS.migrate(client) == []  # no step, but the rights
                make_two(database_of(worker.url))
                audit.record(database_of(worker.url), "in time")
    finally:
        close_databases()
        postgres_server.drop_database(url)
        drop_roles(postgres_server, prefix)


def test_who_may_make_no_roles_is_told_what_to_do(postgres_server: PostgresServer) -> None:
    with database_with_roles(postgres_server) as logins:
        with psycopg.connect(logins.admin, autocommit=True) as sql:
            grant: Any = f"GRANT CREATE ON SCHEMA public TO {logins.roles.migrator}"
            sql.execute(grant)
        with lh.Client(logins.migrator) as client, pytest.raises(RolesRefused, match="CREATE ROLE"):
            MIGRATIONS.migrate(client)


def test_a_paper_goes_all_the_way_by_the_workers_login(logins: Logins, tmp_path: Path) -> None:
    """Upload, consent, extraction, search, classification: nothing needs a superuser."""
    with (
        lh.Client(logins.worker, keyring=lh.Keyring.generate()) as client,
        open_office(client, database_of(client.url), tmp_path) as office,
    ):
        job_id = office.agree(office.add())
        office.work()
        assert office.extraction(job_id)["status"] == "done"
        assert office.money()["book"] == 2
        assert [hit.name for hit in searching.search(office.access, "vertrag")] == [
            "Mietvertrag.pdf"
        ]
        (suggestion,) = office.rows("document_suggestions")
        assert suggestion["doc_type"] == "Mietvertrag"


@pytest.mark.usefixtures("logins")  # the roles are there
def test_an_owner_whom_security_binds_too_runs_all_of_it(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    with (
        owned_database(postgres_server) as url,
        lh.Client(url, keyring=lh.Keyring.generate()) as client,
    ):
        client.store.migrate()
        assert MIGRATIONS.migrate(client)
        database = database_of(client.url)
        with open_office(client, database, tmp_path) as office:
            job_id = office.agree(office.add())
            office.work()
            assert office.extraction(job_id)["status"] == "done"
            assert len(searching.search(office.access, "hauptstraße")) == 1
            assert office.access.client.get(job_id).state == lh.State.SUCCEEDED
            with office.access.browse() as connection:
                shown = connection.exec_driver_sql("SELECT count(*) FROM jobs").scalar()
            assert shown == 2  # with its classification
            stranger = another_tenant(office)
            with stranger.browse() as connection:
                for table in ("jobs", "documents", "document_chunks"):
                    counted = f"SELECT count(*) FROM {table}"  # noqa: S608 - ours
                    assert connection.exec_driver_sql(counted).scalar() == 0
