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
        "Die Laufwerke stehen auf diesem Rechner: ein Klick verbindet OneDrive und Google Drive.",
        "Dropbox ist schon verbunden, wenn LEASEHOLD_KEYS gesetzt ist (make run tut das).",
    ),
    "en": (
        'Search for "vertrag": it finds "Mietvertrag", of which it is only a part.',
        'The meter reading is a scan: "fast" finds no text, "hires" reads it.',
        f'The wages are encrypted; the password is "{PASSWORD}".',
        "The expert's report has a price, and nobody has agreed yet.",
        "The lease is there twice: the second time costs nothing.",
        "The drives stand on this machine: a click connects OneDrive and Google Drive.",
        "Dropbox is connected already, if LEASEHOLD_KEYS is set (make run does so).",
    ),
}


def language_of(accepted: str) -> str:
    """Choose German, unless a browser wants English and no German before it."""
    wanted = [part.split(";")[0].strip()[:2].lower() for part in accepted.split(",")]
    return next((each for each in wanted if each in TEXTS), "de")
