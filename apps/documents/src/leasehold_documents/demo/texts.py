"""What the demo's page says, in German and English."""

from __future__ import annotations

from typing import Final

from leasehold_documents.demo.papers import PASSWORD

TEXTS: Final = {
    "de": {
        "title": "Dokumente: die Demo",
        "about": "Zwei Organisationen mit erfundenen Unterlagen. Alle paar Sekunden kommt eine"
        " Rechnung dazu. Niemand muss sich anmelden; nichts verlässt diesen Rechner.",
        "papers": "Unterlagen",
        "dashboard": "Das Dashboard der Queue",
        "organization": "Organisation",
    },
    "en": {
        "title": "Documents: the demo",
        "about": "Two organizations with made-up papers. Every few seconds an invoice comes in."
        " Nobody has to sign in; nothing leaves this machine.",
        "papers": "Papers",
        "dashboard": "The queue's dashboard",
        "organization": "Organization",
    },
}
THINGS: Final = {
    "de": (
        "Suche nach „vertrag“: der Mietvertrag wird gefunden, auch wenn das Wort nur ein Teil ist.",
        "Das Zählerprotokoll ist ein Scan: „schnell“ findet keinen Text, „genau“ liest ihn.",
        f"Die Löhne sind verschlüsselt; das Passwort ist „{PASSWORD}“.",
        "Das Gutachten hat einen Preis, und noch hat niemand zugestimmt.",
        "Der Mietvertrag ist doppelt da: das zweite Mal kostet nichts.",
        "Die Laufwerke sind auf diesem Rechner nachgebaut: OneDrive und Google Drive lassen sich"
        " mit einem Klick verbinden, Dropbox ist es schon (wenn LEASEHOLD_KEYS gesetzt ist).",
    ),
    "en": (
        'Search for "vertrag": it finds "Mietvertrag", of which it is only a part.',
        'The meter reading is a scan: "fast" finds no text, "hires" reads it.',
        f'The wages are encrypted; the password is "{PASSWORD}".',
        "The expert's report has a price, and nobody has agreed yet.",
        "The lease is there twice: the second time costs nothing.",
        "The drives stand on this machine: OneDrive and Google Drive are connected by a click,"
        " Dropbox is already (if LEASEHOLD_KEYS is set).",
    ),
}


def language_of(accepted: str) -> str:
    """Choose German, unless a browser wants English and no German before it."""
    wanted = [part.split(";")[0].strip()[:2].lower() for part in accepted.split(",")]
    return next((each for each in wanted if each in TEXTS), "de")
