"""Whatever part of a Japanese text is looked for, it is found."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import insert, select

from leasehold.kit.data import Database
from leasehold_memory.data import text_index
from leasehold_memory.data.tables import unit
from leasehold_memory.model.units import UnitKind

_NOW = datetime(2026, 5, 1, tzinfo=UTC)
_SIGNS = "あいをがんしたのりごアイカーキッ京都猫犬食行々〇、。「」・！？😀🎂aAi27-%_"
_TEXTS = st.text(_SIGNS, min_size=1, max_size=30)


@given(text=_TEXTS, begin=st.integers(0, 29), length=st.integers(1, 30))
@example(text="猫", begin=0, length=1)
@example(text="「猫」", begin=0, length=2)
@example(text="ケーキ", begin=1, length=1)
@example(text="OpenAI", begin=4, length=2)
@example(text="12月", begin=1, length=1)
@example(text="京都。猫", begin=1, length=2)
@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_every_part_of_a_japanese_text_is_found(
    database: Database, text: str, begin: int, length: int
) -> None:
    part = text[begin % len(text) :][:length]
    row = {"kind": UnitKind.EPISODE, "occurred_at": _NOW, "created_at": _NOW, "updated_at": _NOW}
    with database.write() as connection:
        wanted = connection.execute(insert(unit).returning(unit.c.id), row).scalar_one()
        text_index.put(connection, wanted, text)
        found = connection.scalars(select(unit.c.id).where(text_index.containing(part)))

        assert wanted in set(found)
