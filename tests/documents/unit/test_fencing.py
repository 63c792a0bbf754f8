"""What listens for forgotten tenants hears them."""

from __future__ import annotations

import pytest

from tests.documents.fencing import is_fenced


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT documents.tenant_id FROM documents WHERE documents.id = ?",
        "SELECT * FROM users JOIN documents ON true",
        "UPDATE extractions SET status = 'done' WHERE id = ?",
        "DELETE FROM nodes",
    ],
)
def test_a_statement_without_a_tenant_is_heard(statement: str) -> None:
    assert not is_fenced(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT 1 FROM documents WHERE documents.tenant_id = ? AND documents.id = ?",
        "INSERT INTO documents (id, tenant_id) VALUES (?, ?)",
        "SELECT * FROM users WHERE id = ?",
    ],
)
def test_one_with_a_tenant_and_one_about_nobodys_rows_are_not(statement: str) -> None:
    assert is_fenced(statement)
