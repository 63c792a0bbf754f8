"""What all requests share: the queue, the tables beside it, the vault, open streams."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, TypeAlias

from fastapi import Depends, Request

import leasehold as lh
from leasehold.kit.data import Database
from leasehold.kit.web import Following
from leasehold.web import Beside
from leasehold_documents.settings import Settings, settings
from leasehold_documents.vault import vault_of
from leasehold_documents.web.tokens import Tokens

if TYPE_CHECKING:
    from leasehold_documents.vault import Vault


@dataclass(frozen=True)
class Hub:
    """The documents of one database."""

    client: lh.Client
    database: Database
    settings: Settings = field(default_factory=settings)
    following: Following = field(default_factory=Following)
    runs: Beside = field(default_factory=Beside)  # `POST /worker/tick`

    @cached_property
    def vault(self) -> Vault:
        return vault_of(self.settings)

    @cached_property
    def tokens(self) -> Tokens:
        return Tokens(self.settings)


def get_hub(request: Request) -> Hub:
    hub: Hub = request.app.state.hub
    return hub


OfHub: TypeAlias = Annotated[Hub, Depends(get_hub)]
