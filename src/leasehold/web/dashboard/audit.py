"""What people did."""

from __future__ import annotations

from leasehold.errors import BadOption
from leasehold.model.access import Right
from leasehold.web.dashboard.looks import Look, Page
from leasehold.web.dashboard.sections import Section

PAGE = 50
WORDS = ("actor", "action", "tenant")
section = Section()


@section.page("/audit", right=Right.ADMIN, for_tenants=True)
def show(look: Look) -> Page:
    """List what was done, the newest first; who is bound to a tenant sees that tenant's."""
    filters = {word: look.asked(word) for word in WORDS if look.asked(word)}
    found = look.client.audit.list(
        actor=filters.get("actor"),
        action=filters.get("action"),
        tenant=filters.get("tenant"),
        before=_before(look),
        limit=PAGE + 1,
    )
    older = None
    if len(found) > PAGE:
        older = look.link("/audit", before=found[PAGE - 1].id, **filters)
    values = {
        "rows": found[:PAGE],
        "filters": filters,
        "words": [word for word in WORDS if word != "tenant" or look.tenant is None],
        "older": older,
    }
    return Page(template="audit.html", title="Audit", values=values)


def _before(look: Look) -> int | None:
    text = look.asked("before")
    if text and not (text.isascii() and text.isdecimal() and len(text) < 19):  # noqa: PLR2004 - 63 bits
        raise BadOption(f"before: {text!r} is not a row's number")
    return int(text) if text else None
