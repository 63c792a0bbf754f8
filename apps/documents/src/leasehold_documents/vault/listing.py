"""Reads what S3 answers to a question for a list."""

from __future__ import annotations

from typing import NamedTuple

from lxml import etree

from leasehold_documents.errors import VaultFailed


class Listing(NamedTuple):
    """A page of names, and where the next one begins."""

    keys: list[str]
    next_token: str | None


def read_listing(text: bytes) -> Listing:
    """Read a ListBucketResult; storages differ in its namespace, so it is left out."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(text, parser)
    except etree.XMLSyntaxError as error:
        raise VaultFailed("the storage answered with a list that can't be read") from error
    keys = [
        str(found)
        for found in root.xpath("./*[local-name()='Contents']/*[local-name()='Key']/text()")
    ]
    tokens = root.xpath("./*[local-name()='NextContinuationToken']/text()")
    return Listing(keys, str(tokens[0]) if tokens else None)
