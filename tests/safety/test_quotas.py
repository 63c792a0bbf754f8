"""A tenant's own client keeps to its quotas, on every way in, and can't touch any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from leasehold.errors import NotForTenants, QuotaExceeded
from leasehold.model.quotas import QuotaChange
from tests.conformance.kit import new_job, new_jobs
from tests.safety.scene import ACME, GLOBEX

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from tests.safety.roles import Access


def test_a_tenant_is_refused_what_its_quota_does_not_allow(store: Store, acme: Store) -> None:
    store.set_quota(ACME, QuotaChange(waiting=3, rate=1e-6, burst=3.0))
    acme.enqueue([new_job(tenant=ACME)])
    acme.enqueue(new_jobs(2, tenant=ACME, delay_seconds=60.0))
    for jobs in (new_jobs(1, tenant=ACME), new_jobs(2, tenant=ACME, delay_seconds=60.0)):
        with pytest.raises(QuotaExceeded) as told:
            acme.enqueue(jobs)
        assert told.value.tenant == ACME
    with pytest.raises(NotForTenants):
        acme.set_quota(ACME, QuotaChange(waiting=9))
    store.enqueue(new_jobs(2, tenant=GLOBEX))


@pytest.mark.parametrize(
    "tried",
    [
        "SELECT leasehold.admit('globex', 1, now())",
        "SELECT leasehold.lock_quota('globex')",
        "SELECT * FROM leasehold.quota",
        "UPDATE leasehold.quota SET waiting = 9",
        "UPDATE leasehold.quota SET spare = 9",
        "DELETE FROM leasehold.quota",
    ],
)
def test_no_sql_of_a_tenant_reaches_a_quota(access: Access, tried: str) -> None:
    with psycopg.connect(access.admin, autocommit=True) as admin:
        admin.execute(
            "INSERT INTO leasehold.quota (tenant, waiting, updated_at)"
            " VALUES ('globex', 1, now()), ('acme', 1, now())"
        )
    connection: psycopg.Connection[Any]
    with psycopg.connect(access.app) as connection:
        connection.execute("SELECT set_config('leasehold.tenant', %s, true)", (ACME,))
        with pytest.raises(psycopg.Error) as told:
            connection.execute(tried.encode())
        assert told.value.sqlstate in {"LH010", "42501"}
