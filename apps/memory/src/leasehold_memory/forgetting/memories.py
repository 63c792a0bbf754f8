"""What of an open memory forgetting needs."""

from __future__ import annotations

from typing import Protocol

import leasehold as lh
from leasehold.kit.data import Database


class Forgetful(Protocol):
    """A memory's queue and tables, in one file."""

    @property
    def client(self) -> lh.Client: ...

    @property
    def database(self) -> Database: ...
