"""What a paper seems to be, judged once: by its extraction, for the job that files it, too."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

from leasehold_documents import classifying

if TYPE_CHECKING:
    from leasehold_documents.access import Service
    from leasehold_documents.classifying import Suggested

_READ = 20  # chunks at the beginning, by which a paper is judged
_MOST = 1_000
_lock = threading.Lock()
_judged: OrderedDict[UUID, Suggested] = OrderedDict()  # of this process, until they are used


def judge(
    service: Service, tenant_id: UUID, extraction_id: UUID, texts: Sequence[str]
) -> Suggested:
    """Judge a paper by its text, and remember it for the job that files it, if it runs here."""
    with service.read() as connection:
        suggested = classifying.classify(connection, tenant_id, "\n".join(texts[:_READ]))
    with _lock:
        _judged[extraction_id] = suggested
        while len(_judged) > _MOST:
            _judged.popitem(last=False)
    return suggested


def suggest(service: Service, document: Mapping[str, Any]) -> Suggested:
    """Return what was just judged here, else judge an extracted document by its chunks."""
    with _lock:
        suggested = _judged.pop(document["current_extraction_id"], None)
    if suggested is not None:
        return suggested
    with service.read() as connection:
        text = classifying.text_of(connection, document["tenant_id"], document["id"])
        return classifying.classify(connection, document["tenant_id"], text)
