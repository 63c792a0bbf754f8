"""On SQLite the tenant in each statement is the fence: this listens whether it is there.

A statement of a person's transaction that reads, changes or deletes rows of tenants must say whose,
in its condition. Those that forget are told by the test that ran them.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from sqlalchemy import Engine, event

from leasehold_documents.access import Access
from leasehold_documents.data.tables import metadata

if TYPE_CHECKING:
    import pytest

_inside: ContextVar[bool] = ContextVar("a person's transaction", default=False)
_TENANTS = "|".join(each.name for each in metadata.sorted_tables if "tenant_id" in each.columns)
_NAMED = re.compile(rf"\b(?:FROM|JOIN|UPDATE)\s+({_TENANTS})\b", re.IGNORECASE)
_CONDITION = re.compile(r"\bWHERE\b(.*)", re.IGNORECASE | re.DOTALL)


def is_fenced(statement: str) -> bool:
    """Whether it says in a condition whose rows it means, or means nobody's."""
    if not _NAMED.search(statement):
        return True
    found = _CONDITION.search(statement)
    return found is not None and "tenant_id" in found[1]


@contextmanager
def listening(patch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Note the statements of people's transactions that forget whose rows they mean."""
    forgetful: list[str] = []
    for name in ("read", "browse", "write"):
        patch.setattr(Access, name, _marked(getattr(Access, name)))

    def listen(
        _connection: Any, _cursor: Any, statement: str, _given: Any, context: Any, _many: Any
    ) -> None:
        if not _inside.get() or context.dialect.name != "sqlite" or is_fenced(statement):
            return
        if _is_of_the_application():
            forgetful.append(statement)

    event.listen(Engine, "before_cursor_execute", listen)
    try:
        yield forgetful
    finally:
        event.remove(Engine, "before_cursor_execute", listen)


def _is_of_the_application() -> bool:
    """Whether it is the application's own statement, and not a test's."""
    for frame, _ in traceback.walk_stack(None):
        name = str(frame.f_globals.get("__name__"))
        if name.startswith(("leasehold_documents.", "tests.")) and name != __name__:
            return name.startswith("leasehold_documents.")
    return False


def _marked(opens: Any) -> Any:
    @contextmanager
    def opened(self: Access) -> Iterator[Any]:
        token = _inside.set(True)
        try:
            with opens(self) as found:
                yield found
        finally:
            _inside.reset(token)

    return opened
