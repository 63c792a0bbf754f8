"""How long jobs take, by kind."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from leasehold.model.timing import Measured
from leasehold.store.sqlite.database import Database
from leasehold.store.sqlite.statements import as_json, rows


class Timing:
    """The part of the store that remembers durations."""

    _database: Database

    def durations(self, kinds: Sequence[str]) -> dict[str, float]:
        with self._database.read() as connection:
            return dict(rows(connection, "durations", kinds=as_json(list(kinds))))

    def note_durations(self, measured: Sequence[Measured]) -> None:
        if not measured:
            return
        with self._database.write() as connection:
            for each in measured:
                rows(connection, "note_durations", **structs.asdict(each))
