"""Something to see on every page, some of it hostile."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import leasehold as lh
from leasehold_documents import billing, papers, tasks
from leasehold_documents.access import Access
from leasehold_documents.demo.files import excel
from leasehold_documents.settings import settings
from leasehold_documents.vault import vault_of
from tests.documents.web.test_flow import UNSURE

if TYPE_CHECKING:
    from uuid import UUID

SCRIPT = "<script>window.hit = 1</script>'\"></title><img src=x onerror=window.hit=2>"
LONG = "W" * 400


def hand_in(access: Access, name: str, content: bytes) -> UUID:
    added: dict[str, Any] = papers.add(access, vault_of(settings()), name, io.BytesIO(content))
    document_id: UUID = added["id"]
    return document_id


def agree_to(access: Access, document_id: UUID) -> UUID:
    found = billing.estimate(access, vault_of(settings()), document_id, "unstructured_fast")
    return billing.confirm(access, found.extraction_id)


def furnish(client: lh.Client, access: Access) -> list[str]:
    """Give every page something to show; returns their paths."""
    hostile = f"{SCRIPT} harmlos {LONG} \u202e mail@example.org DE89370400440532013000".encode()
    done = hand_in(access, f"{SCRIPT}{LONG}.txt", hostile)
    unsure = hand_in(access, "../../\u202eetc/passwd 💥.pdf", UNSURE)
    locked = excel(["Name"], ["Weiß"], password="geheim")
    broken = hand_in(access, "verschlüsselt.xlsx", locked)
    for each in (done, unsure, broken):
        agree_to(access, each)
    lh.Worker(client, tasks).run(until_empty=True)
    unread = hand_in(access, "neu.txt", b"Noch nicht gelesen.")
    waiting = hand_in(access, "wartet.txt", b"Bald gelesen.")
    agree_to(access, waiting)
    pages = ("", "papers", "inbox", "review", "search", "search?q=harmlos", "search?q=-a", "jobs")
    more = ("connectors", "notifications", "nowhere")
    shown = [f"papers/{each}" for each in (done, unsure, broken, unread, waiting)]
    return [f"/documents/{each}" for each in (*pages, *more, *shown)]
