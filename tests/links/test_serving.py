"""The library in the service: its tables are asked for, made, and never made on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.web import WebSettings
from leasehold.web.applications import Found
from leasehold.web.assembly import assemble
from leasehold_links.web import application

if TYPE_CHECKING:
    import leasehold as lh


def test_without_its_tables_it_is_not_served_and_says_what_to_run(client: lh.Client) -> None:
    found = [Found(name="links", application=application())]
    told = assemble(client, settings=WebSettings(), found=found).broken["links"]
    assert "the tables of links lack 0001" in told
    assert "leasehold migrate" in told
    assembly = assemble(client, settings=WebSettings(), found=found, is_migrating=True)
    assert assembly.broken == {}
    assert "links.enrich" in assembly.main.registry.kinds
    assert assemble(client, settings=WebSettings(), found=found).broken == {}
