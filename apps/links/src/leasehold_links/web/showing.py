"""What is shown of a link: a person's own words first; addresses only where they are harmless."""

from __future__ import annotations

from typing import Any

from leasehold_links.bookmarks.icons import read_icon
from leasehold_links.data.browsing import Row

_ENRICHMENT = ("attempts", "max_attempts", "run_after")
_WEB = ("https://", "http://")


def show_link(row: Row, state: Row | None) -> dict[str, Any]:
    """Put a link and its enrichment together."""
    return row | {
        "title": row["own_title"] or row["page_title"] or row["url"],
        "description": row["own_description"] or row["page_description"] or "",
        "image": web_address(row["image"]),
        "favicon": read_icon(row["icon"]) or web_address(row["favicon"]),
        "enrichment": _show_enrichment(row, state),
    }


def _show_enrichment(row: Row, state: Row | None) -> dict[str, Any]:
    known: Row = state or {"status": None, "attempts": 0, "max_attempts": 0, "run_after": None}
    is_done = known["status"] == "succeeded"
    return {name: known[name] for name in _ENRICHMENT} | {
        "status": known["status"],
        # While it is tried again, why it was not to be had before still stands.
        "reason": None if is_done else reason_of(row["reason"], known["status"]),
        "http_status": row["http_status"],
        "fetched_at": row["fetched_at"],
        "job_id": row["job_id"],
    }


def reason_of(reason: str | None, status: str | None) -> str | None:
    """Say why; what died without a word was lost with its workers."""
    return "lost" if reason is None and status == "dead" else reason


def web_address(address: str | None) -> str | None:
    """Return an address that a page may name: of the web, and nothing else."""
    return address if address and address.lower().startswith(_WEB) else None


def picture_address(address: str | None, allowed: str) -> str | None:
    """Return the address of a picture that a page may show; `allowed`: https, all or none."""
    found = web_address(address)
    if found is None or allowed == "none":
        return None
    return found if allowed == "all" or found.lower().startswith("https://") else None


def icon_address(address: str | None, allowed: str) -> str | None:
    """Do the same for an icon, which may also be a small picture in itself."""
    return read_icon(address) or picture_address(address, allowed)
