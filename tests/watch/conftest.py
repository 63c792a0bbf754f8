"""Every test here that needs a database runs on both."""

from tests.worker.conftest import (
    client,
    pytest_generate_tests,
    shared_postgres_url,
    shared_sqlite_url,
    store_url,
)

__all__ = [
    "client",
    "pytest_generate_tests",
    "shared_postgres_url",
    "shared_sqlite_url",
    "store_url",
]
