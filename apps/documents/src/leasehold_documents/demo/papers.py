"""The demo's papers: German, made up, and each with something to see."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from leasehold_documents.demo import files

PASSWORD = "lindenhof"  # noqa: S105 - the demo's page tells it
HOUSES = "Hausverwaltung Lindenhof"
BAKERY = "Zuckerbäckerei Sommer"


class Paper(NamedTuple):
    """A file of a tenant, and what becomes of it: an engine it is read with, or none yet."""

    tenant: str
    name: str
    make: Callable[[], bytes]
    engine: str | None = "unstructured_fast"
    is_agreed: bool = True  # False: there is a price, and nobody has said yes


def _lease() -> bytes:
    return files.pdf(
        (
            "Mietvertrag über Wohnraum",
            "zwischen Hausverwaltung Lindenhof (Vermieter) und Frau Jana Weiß (Mieter)",
            "",
            "§ 1 Mietsache: Vermietet wird die Wohnung im 2. Obergeschoss der Lindenstraße 5,",
            "50674 Köln, mit drei Zimmern und einer Wohnfläche von 78 m².",
            "§ 2 Mietdauer: Das Mietverhältnis beginnt am 1. März 2026 und läuft auf unbestimmte",
            "Zeit. Die Kündigungsfrist beträgt drei Monate zum Monatsende.",
            "§ 3 Miete: Die Kaltmiete beträgt monatlich 920,00 €, dazu Nebenkosten von 210,00 €.",
            "§ 4 Kaution: Der Mieter zahlt eine Kaution von drei Kaltmieten in drei Raten.",
        ),
        (
            "Anlage 1: Hausordnung",
            "Zwischen 13 und 15 Uhr und nach 22 Uhr ist Ruhe zu halten. Das Treppenhaus wird",
            "wöchentlich im Wechsel gereinigt. Haustiere brauchen die Zustimmung des Vermie-",
            "ters, Kleintiere nicht. Fahrräder gehören in den Keller.",
        ),
    )


def _statement() -> bytes:
    return files.pdf(
        (
            "Kontoauszug Nr. 1/2026",
            "Sparkasse Musterstadt, IBAN DE89 3704 0044 0532 0130 00",
            "Buchungstag   Valuta   Buchung                           Betrag",
            "02.01.        02.01.   Miete Januar Weiß, Lindenstr. 5     1.130,00 Haben",
            "05.01.        05.01.   Lastschrift Stadtwerke Köln           418,20 Soll",
            "19.01.        19.01.   Überweisung Dachdecker Krüger       2.380,00 Soll",
            "Saldo am 31.01.2026: 14.802,55 Haben",
        )
    )


def _notice() -> bytes:
    return files.word(
        "Kündigung des Mietvertrags",
        "Sehr geehrte Damen und Herren,",
        "hiermit kündige ich den Mietvertrag über die Wohnung 12 in der Lindenstraße 5"
        " fristgerecht zum 30. April 2026.",
        "Bitte senden Sie mir eine Kündigungsbestätigung und einen Termin für die Übergabe.",
        "Mit freundlichen Grüßen, Tobias Groß, tobias.gross@example.org, Tel. 0221 5550143",
    )


def _minutes() -> bytes:
    return files.word(
        "Protokoll der Eigentümerversammlung",
        "Anwesend sind 14 von 18 Eigentümern; die Versammlung ist beschlussfähig.",
        "Beschluss 1: Die Heizung wird bis Oktober durch eine Wärmepumpe ersetzt.",
        "Beschluss 2: Die Rücklage wird um 12 % erhöht. Einstimmig angenommen.",
    )


def _tenants() -> bytes:
    return files.excel(
        ("Wohnung", "Mieter", "Kaltmiete", "Nebenkosten"),
        ("1", "Familie Öztürk", 840, 190),
        ("2", "Jana Weiß", 920, 210),
        ("12", "Tobias Groß", 610, 150),
    )


def _wages() -> bytes:
    return files.excel(
        ("Lohnabrechnung", "Januar 2026"),
        ("Hausmeister", 2850.00),
        ("Reinigung", 1420.00),
        password=PASSWORD,
    )


def _meter() -> bytes:
    return files.scan(
        (
            "Zählerprotokoll Wohnung 12",
            "Lindenstraße 5, 50674 Köln",
            "Zählerstand Wasser: 482,7   Zählerstand Strom: 20418",
            "Übergabe der Schlüssel am 31. Januar 2026",
        )
    )


def _report() -> bytes:
    return files.pdf(
        *(
            (
                f"Gutachten zum Dachstuhl, Seite {number}",
                f"Sparren {number}: Die Balken sind trocken, die Lattung ist zu erneuern.",
                "Die Dämmung entspricht nicht mehr dem Stand der Technik.",
            )
            for number in range(1, 13)
        )
    )


def _note() -> bytes:
    text = "Notiz: Herr Müller können wir dienstags erreichen. Schlüssel liegt beim Hausmeister.\n"
    return text.encode("cp1252")


def _delivery() -> bytes:
    return files.pdf(
        (
            "Angebot Nr. 77",
            "Mühle Krüger bietet Ihnen freibleibend an: 40 Säcke Weizenmehl Type 550 zu je 25 kg.",
            "Gültig bis 28. Februar 2026. Bei Auftragserteilung liefern wir binnen einer Woche.",
        )
    )


def _reminder() -> bytes:
    return files.pdf(
        (
            "Zahlungserinnerung",
            "Ihre Rechnung 2025-118 über 236,90 € ist seit dem 15. Januar überfällig.",
            "Wir bitten um Zahlungseingang binnen zehn Tagen; danach kommt eine Mahngebühr dazu.",
        )
    )


PAPERS = (
    Paper(HOUSES, "Mietvertrag Lindenstraße 5, Weiß.pdf", _lease),
    Paper(HOUSES, "Kontoauszug Januar.pdf", _statement),
    Paper(HOUSES, "Kündigung Wohnung 12.docx", _notice),
    Paper(HOUSES, "Protokoll Eigentümerversammlung.docx", _minutes),
    Paper(HOUSES, "Mieterliste.xlsx", _tenants),
    Paper(HOUSES, "Notiz.txt", _note),
    Paper(HOUSES, "Zählerprotokoll (Scan).pdf", _meter),
    Paper(HOUSES, "Löhne (mit Passwort).xlsx", _wages),
    Paper(HOUSES, "Gutachten Dachstuhl.pdf", _report, is_agreed=False),
    Paper(HOUSES, "../../Mietvertrag <b>Kopie</b>.pdf", _lease, engine=None),
    Paper(BAKERY, "Angebot Mühle Krüger.pdf", _delivery),
    Paper(BAKERY, "Zahlungserinnerung.pdf", _reminder),
)


_INVOICE = re.compile(r"Rechnung Nordmehl 2026-(\d{4})\.pdf")


def invoice_number(name: str) -> int | None:
    """Read the number of such a paper; None: it is another one."""
    found = _INVOICE.fullmatch(name)
    return None if found is None else int(found[1])


def invoice(number: int) -> Paper:
    """Make the paper that comes in again and again."""
    flour, milk = 120 + number % 40, 30 + number % 7
    net = flour * 0.89 + milk * 1.05
    lines = (
        f"Rechnung Nr. 2026-{number:04}",
        "Großhandel Nordmehl, Ust-IdNr. DE136695976",
        f"{flour} kg Weizenmehl, {milk} l Milch",
        f"Nettobetrag {net:.2f} €, Umsatzsteuer 7 % {net * 0.07:.2f} €",
        f"Rechnungsbetrag {net * 1.07:.2f} €, zahlbar innerhalb von 14 Tagen",
    )
    return Paper(BAKERY, f"Rechnung Nordmehl 2026-{number:04}.pdf", lambda: files.pdf(lines))
