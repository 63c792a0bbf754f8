"""Where a new tenant's papers are filed: a small German tree, to be changed as they like."""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """A node of the tree; papers of its type belong there."""

    name: str
    doc_type: str | None = None
    below: tuple[Place, ...] = ()


DEFAULT_PLACES = (
    Place(
        "Verträge",
        "Vertrag",
        (
            Place("Mietverträge", "Mietvertrag"),
            Place("Arbeitsverträge", "Arbeitsvertrag"),
            Place("Kündigungen", "Kündigung"),
        ),
    ),
    Place(
        "Finanzen",
        None,
        (
            Place("Rechnungen", "Rechnung"),
            Place("Mahnungen", "Mahnung"),
            Place("Angebote", "Angebot"),
            Place("Kontoauszüge", "Kontoauszug"),
            Place("Lohnabrechnungen", "Lohnabrechnung"),
            Place("Steuern", "Steuerbescheid"),
        ),
    ),
    Place("Versicherungen", "Versicherung"),
    Place("Briefe", "Brief"),
)
