"""Every test here that needs a database runs on both."""

from tests.worker.conftest import client, pytest_generate_tests, store_url

__all__ = ["client", "pytest_generate_tests", "store_url"]
