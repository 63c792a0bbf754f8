"""The databases of both stores, emptied between examples rather than made anew."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, TypeVar

import pytest
from hypothesis import HealthCheck, Phase, settings

from leasehold.store import open_store
from leasehold.store.postgres.claiming import Claims
from tests.conformance.tables import open_tables

pytest.register_assert_rewrite(
    *(
        f"tests.properties.{name}"
        for name in (
            *("machine", "lane_rules", "key_rules", "saving_rules", "lease_rules", "people_rules"),
            *("keeping_rules", "needs_rules", "claiming", "ground", "compare"),
            *("together_machine", "together_ground", "batch_rules", "chain_rules"),
        )
    )
)

from tests.properties.ground import Ground  # noqa: E402 - after its asserts are rewritten
from tests.properties.machine import QueueMachine  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

    Wrap = Callable[[Store], Store]

Machine = TypeVar("Machine", bound=Ground)

EXAMPLES_VARIABLE = "LEASEHOLD_PROPERTY_EXAMPLES"


class Laboratory:
    """One database, in which each example starts empty."""

    def __init__(self, url: str, tables: Tables) -> None:
        self._url = url
        self._tables = tables

    # No default arguments here: Hypothesis hashes their repr, and a function's is its address.
    def machine(self) -> QueueMachine:
        """Start an example on the store as it is."""
        return self.mutant(unchanged)

    def mutant(self, wrap: Wrap) -> QueueMachine:
        """Start an example with something around the store."""
        return self.make(QueueMachine, wrap)

    def make(self, machine: type[Machine], wrap: Wrap) -> Machine:
        """Start an example of any machine."""
        self._tables.empty()
        return machine(lambda: wrap(open_store(self._url)), self._tables)


def unchanged(store: Store) -> Store:
    return store


@contextlib.contextmanager
def open_laboratory(url: str) -> Iterator[Laboratory]:
    with open_tables(url) as tables:
        yield Laboratory(url, tables)


@pytest.fixture(autouse=True)
def exact_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scan from the head in each claim, so that no job is hidden by a hint for half a second.

    Also after a claim that found nothing: it trusts the hints first, and what was retried by hand
    meanwhile may sort before them.
    """
    monkeypatch.setattr(Claims, "_claim", Claims._claim_from_head)


@pytest.fixture(params=["sqlite", "postgres"])
def laboratory(request: pytest.FixtureRequest) -> Iterator[Laboratory]:
    with open_laboratory(request.getfixturevalue(f"migrated_{request.param}_url")) as opened:
        yield opened


@pytest.fixture
def sqlite_laboratory(migrated_sqlite_url: str) -> Iterator[Laboratory]:
    with open_laboratory(migrated_sqlite_url) as opened:
        yield opened


@pytest.fixture
def search() -> settings:
    """The same examples in each run, unshrunk, since shrinking takes minutes.

    LEASEHOLD_PROPERTY_EXAMPLES=1000 looks for new ones and shrinks what it finds.
    """
    asked = os.environ.get(EXAMPLES_VARIABLE)
    return settings(
        max_examples=int(asked or 100),
        stateful_step_count=40,
        derandomize=asked is None,
        database=None,
        deadline=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        phases=[Phase.generate, Phase.shrink] if asked else [Phase.generate],
    )
