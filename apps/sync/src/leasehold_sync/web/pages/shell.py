"""What all pages share: templates, texts, where they are, and one visit of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, TypeAlias

from fastapi import Depends

from leasehold.kit.web import Languages, Pages, Place, Visit
from leasehold_sync.web.texts import ENGLISH

LANGUAGES = Languages({"en": ENGLISH})
PLACES = (Place("/", "nav.apps"), Place("/entities", "nav.entities"))
PAGES = Pages("leasehold_sync.web", name="sync", languages=LANGUAGES, places=PLACES, at="/ui")
OfVisit: TypeAlias = Annotated[Visit, Depends(PAGES.visit)]
_UNITS = (("days", 86_400), ("hours", 3_600), ("minutes", 60))


def age(visit: Visit, at: datetime | None) -> str:
    """Say how long ago a moment was, in the largest unit that fits."""
    if at is None:
        return visit.say("none")
    seconds = (datetime.now(UTC) - at).total_seconds()
    for unit, length in _UNITS:
        if seconds >= length:
            return visit.say.many(f"age.{unit}", int(seconds // length))
    return visit.say("age.now")
