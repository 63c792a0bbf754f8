"""What all pages share: templates, texts, where they are, and one visit of them."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Depends

from leasehold.kit.web import Pages, Place, Visit
from leasehold_memory.web.texts import LANGUAGES

PLACES = (
    Place("/", "nav.chat"),
    Place("/memories", "nav.memories"),
    Place("/people", "nav.people"),
    Place("/jobs", "nav.jobs"),
    Place("/settings", "nav.settings"),
)
PAGES = Pages("leasehold_memory.web", name="memory", languages=LANGUAGES, places=PLACES)
OfVisit: TypeAlias = Annotated[Visit, Depends(PAGES.visit)]
