"""Columns that read the same in both databases, and as the queue writes them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import DateTime, Dialect, Text, TypeDecorator, Uuid

if TYPE_CHECKING:
    from sqlalchemy.types import TypeEngine


class Id(TypeDecorator[UUID]):
    """A UUID; in SQLite as text with hyphens, so that it can be joined with the queue's."""

    impl = Uuid
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(Text() if dialect.name == "sqlite" else Uuid())

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        return str(value) if value is not None and dialect.name == "sqlite" else value

    def process_result_value(self, value: Any, dialect: Dialect) -> UUID | None:
        return UUID(value) if value is not None and dialect.name == "sqlite" else value


class Moment(TypeDecorator[datetime]):
    """A moment, always with its zone; in SQLite as text in UTC, which sorts."""

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        is_sqlite = dialect.name == "sqlite"
        return dialect.type_descriptor(Text() if is_sqlite else DateTime(timezone=True))

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        if value is None or dialect.name != "sqlite":
            return value
        return value.astimezone(UTC).isoformat(timespec="microseconds")

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        return (
            datetime.fromisoformat(value)
            if value is not None and dialect.name == "sqlite"
            else value
        )
