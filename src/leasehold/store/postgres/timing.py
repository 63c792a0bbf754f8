"""How long jobs take, by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.model.timing import Measured

PACKAGE = "leasehold.store.postgres"


class Timing:
    """The part of the store that remembers durations."""

    def _run(self, sql: str, **parameters: Any) -> list[Any]:
        raise NotImplementedError

    def durations(self, kinds: Sequence[str]) -> dict[str, float]:
        return dict(self._run(load(PACKAGE, "durations"), kinds=list(kinds)))

    def note_durations(self, measured: Sequence[Measured]) -> None:
        given = msgspec.json.encode(measured).decode()
        self._run(load(PACKAGE, "note_durations"), measured=given)
