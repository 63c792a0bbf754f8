"""Looks for words in what a memory keeps: the bytes of its files, the terms of its index."""

from __future__ import annotations

from pathlib import Path

from leasehold_memory.opening import Memory


def bytes_with(home: Path, *words: str) -> dict[str, list[str]]:
    """Name the files of a home that have one of these words in them, in whatever case."""
    wanted = {form: word for word in words for form in _forms(word)}
    found = {}
    for file in sorted(home.iterdir()):
        content = file.read_bytes().lower()
        if here := sorted({word for form, word in wanted.items() if form in content}):
            found[file.name] = here
    return found


def terms_with(memory: Memory, *parts: str) -> list[str]:
    """Return the terms of the text index that have one of these parts."""
    found: list[str] = []
    with memory.database.read() as connection:
        for table in ("unit_trigrams", "unit_words"):
            name = f"temp.{table}_terms"
            connection.exec_driver_sql(
                f"CREATE VIRTUAL TABLE {name} USING fts5vocab(main, {table}, row)"
            )
            found += connection.exec_driver_sql(f"SELECT term FROM {name}").scalars()  # noqa: S608 - ours
            connection.exec_driver_sql(f"DROP TABLE {name}")
    return [term for term in found if any(part in term for part in parts)]


def _forms(word: str) -> set[bytes]:
    escaped = word.encode("ascii", "backslashreplace")
    return {each.lower() for each in (word.encode(), escaped, word.encode("utf-16-le"))}
