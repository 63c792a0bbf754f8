"""A document's text, from the vault through the engine, or why there is none."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

import leasehold as lh
from leasehold.kit.data import discreet, refusals
from leasehold_documents.errors import NotInVault, Rejected
from leasehold_documents.extracting import STRATEGIES, Extracted, engine_of
from leasehold_documents.running.pausing import pausing_the_closed
from leasehold_documents.settings import settings
from leasehold_documents.vault import derived_key, prefixes_of, vault_of

if TYPE_CHECKING:
    from leasehold_documents.access import Service
    from leasehold_documents.extracting import PageRange
    from leasehold_documents.running.agreed import Agreed

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Extracted).decode


def read(
    service: Service,
    job: Any,
    agreed: Agreed,
    password: str | None,
    pages: PageRange | None = None,
) -> Extracted:
    """Extract a document, or some of its pages; shows how far it is, and stops when it should."""
    document, said = agreed.document, settings()
    engine = agreed.extraction["engine"]
    with pausing_the_closed(service, engine), vault_of(said).local(document["file_path"]) as path:
        return engine_of(said).extract(
            path,
            media_type=document["media_type"],
            strategy=STRATEGIES[engine],
            password=password,
            pages=pages,
            progress=partial(_show, job),
        )


@contextmanager
def told() -> Iterator[None]:
    """End the attempt for good where no retry can help."""
    try:
        with discreet():
            yield
    except Rejected as error:
        raise lh.Dead(str(error)) from error
    except NotInVault as error:
        raise lh.Dead("FILE_GONE: its file is not in the vault any more") from error
    except refusals() as error:
        # Only its kind: PostgreSQL names the values that it refuses, which are the document's.
        raise lh.Dead(f"REFUSED: the database answered {type(error).__name__}") from None


def keep_elements(agreed: Agreed, extracted: Extracted) -> None:
    """Save what was found as it is, for whoever wants more than the chunks."""
    document = agreed.document
    key = derived_key(document["tenant_id"], document["id"])
    vault_of(settings()).put(key, io.BytesIO(_encode(extracted.elements)))


def keep_part(agreed: Agreed, first: int, extracted: Extracted) -> None:
    """Save what was found in a range of pages."""
    vault_of(settings()).put(_part_key(agreed, first), io.BytesIO(_encode(extracted)))


def take_part(agreed: Agreed, first: int) -> Extracted:
    """Read what was found in a range of pages."""
    with vault_of(settings()).open(_part_key(agreed, first)) as file:
        return _decode(file.read())


def drop_parts(extraction: dict[str, Any]) -> None:
    """Forget what its ranges have saved."""
    vault_of(settings()).delete_under(_parts(extraction))


def _part_key(agreed: Agreed, first: int) -> str:
    return f"{_parts(agreed.extraction)}{first}.json"


def _parts(extraction: dict[str, Any]) -> str:
    _, derived = prefixes_of(extraction["tenant_id"], extraction["document_id"])
    return f"{derived}{extraction['id']}/"


def _show(job: Any, done: int, total: int) -> None:
    job.check()
    job.progress(done, total)
