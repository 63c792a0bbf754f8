"""Finds the papers that a command names, and the engine that is to read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

import click

if TYPE_CHECKING:
    from leasehold_documents.access import Access

_ENGINES = {"fast": "unstructured_fast", "hires": "unstructured_hires"}
DOCUMENTS = click.argument("documents", nargs=-1, required=True, metavar="DOCUMENT...")
ENGINE = click.option(
    "--engine",
    type=click.Choice(list(_ENGINES)),
    default="fast",
    show_default=True,
    help="fast reads text that is there; hires looks at pages, as scans need.",
)


def engine_named(name: str) -> str:
    return _ENGINES[name]


def document_named(access: Access, name: str) -> dict[str, Any]:
    """Return the document of this id, or the newest of this name."""
    from leasehold_documents import papers

    try:
        return papers.get(access, UUID(name))
    except ValueError:
        return papers.named(access, name)
