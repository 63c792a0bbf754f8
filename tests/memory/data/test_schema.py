"""The page of the schema holds what a real file holds, and the seed's own query runs on it."""

from __future__ import annotations

import re
from pathlib import Path

from leasehold.kit.data import Database
from tests.memory.data.schema import PAGE, ddl_of, ddl_on_page


def test_the_page_holds_the_statements_of_a_real_file(sqlite_template: Path) -> None:
    assert ddl_on_page() == ddl_of(sqlite_template), "run python -m tests.memory.data.schema"


def test_every_table_is_named_in_the_words_of_the_page_or_is_a_payload(
    sqlite_template: Path,
) -> None:
    words = PAGE.read_text("utf-8").split("## DDL")[0]
    made = re.findall(r"CREATE (?:VIRTUAL )?(?:TABLE|VIEW) (\w+)", ddl_of(sqlite_template))
    silent = {each for each in made if f"`{each}`" not in words}
    payloads = {each for each in silent if each.startswith("payload_")}
    assert silent - payloads == {"units", "entities", "entity_aliases", "memory_version"}


def test_the_query_on_the_page_runs(database: Database) -> None:
    [query] = re.findall(r"```sql\n(SELECT.*?);\n```", PAGE.read_text("utf-8"), re.DOTALL)
    with database.read() as connection:
        assert connection.exec_driver_sql(query).all() == []
