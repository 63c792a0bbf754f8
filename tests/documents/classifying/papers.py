"""Papers as people have them, a few of each type; the first line is a paper's title."""

from __future__ import annotations

TYPICAL: dict[str, tuple[str, ...]] = {
    "Mietvertrag": (
        """Wohnraummietvertrag
        zwischen Herrn Weber (Vermieter) und Frau Jäger (Mieterin). § 1 Mietsache: Wohnung im 2. OG.
        § 3 Die Kaltmiete beträgt 800 EUR, die Nebenkosten 150 EUR. § 5 Kaution: drei
        Monatsmieten.""",
        """Untermietvertrag
        § 1 Der Hauptmieter überlässt dem Untermieter ein Zimmer. Mietzins: 400 EUR. Kaution: 800
        EUR. Die Mietdauer ist unbefristet.""",
        """TENANCY AGREEMENT
        The landlord lets the premises to the tenant. Rent: 900 EUR a month. A deposit of two months
        is due.""",
    ),
    "Arbeitsvertrag": (
        """Arbeitsvertrag
        Zwischen der Muster GmbH (Arbeitgeber) und Herrn Öz (Arbeitnehmer). Die Probezeit beträgt
        sechs Monate. Die Arbeitszeit sind 40 Wochenstunden, Urlaub 28 Tage.""",
    ),
    "Vertrag": (
        """Kaufvertrag
        Vertragsgegenstand ist ein Fahrrad. Die Vertragsparteien vereinbaren die Schriftform.
        Gerichtsstand ist Bonn.""",
    ),
    "Kündigung": (
        """Kündigung
        Sehr geehrte Damen und Herren, hiermit kündige ich fristgerecht zum 30. Juni. Bitte
        bestätigen Sie mir die Beendigung schriftlich.""",
    ),
    "Rechnung": (
        """RECHNUNG Nr. 2024-17
        Rechnungsdatum: 03.04.2024 Nettobetrag 100,00 EUR, 19 % Umsatzsteuer 19,00 EUR, Gesamtbetrag
        119,00 EUR, zahlbar innerhalb von 14 Tagen.""",
        """Schlussrechnung
        Leistungszeitraum März. Bruttobetrag 1.190 EUR inkl. Mehrwertsteuer. Steuernummer
        12/345/67890.""",
        """Invoice no. 5
        Subtotal 100, VAT 19, total payable 119 EUR.""",
    ),
    "Mahnung": (
        """2. Mahnung
        Trotz Fälligkeit konnten wir keinen Zahlungseingang feststellen. Der offene Betrag zuzüglich
        Mahngebühr von 5 EUR; Sie sind im Verzug.""",
    ),
    "Angebot": (
        """Angebot 4711
        Gerne bieten wir Ihnen freibleibend an: … Das Angebot ist gültig bis zum Monatsende,
        unverbindlich.""",
    ),
    "Kontoauszug": (
        """Kontoauszug 3/2024
        IBAN DE89 3704 0044 0532 0130 00 Buchungstag Valuta Betrag. Alter Saldo 100,00. Lastschrift
        Stadtwerke 45,00. Neuer Saldo 55,00.""",
    ),
    "Lohnabrechnung": (
        """Entgeltabrechnung Mai 2024
        Personalnummer 17, Steuerklasse 1, Bruttolohn 3.000, Lohnsteuer 400, Rentenversicherung 279,
        Auszahlungsbetrag 2.000.""",
    ),
    "Steuerbescheid": (
        """Finanzamt Bonn
        Einkommensteuerbescheid für 2023. Festsetzung: die Steuer wird auf 5.000 EUR festgesetzt.
        Rechtsbehelfsbelehrung: Gegen diesen Bescheid ist Einspruch zulässig.""",
    ),
    "Versicherung": (
        """Versicherungsschein
        Haftpflicht. Versicherungsnehmer: Frau Weiß. Versicherungssumme 10 Mio. EUR,
        Selbstbeteiligung 150 EUR. Die Prämie ist jährlich fällig.""",
    ),
}
EXPERT = (
    "Der Sachverständige besichtigte das Gebäude am {day}. März. Der Putz zeigt Risse, das "
    "Mauerwerk ist durchfeuchtet. Die Ursache des Schadens ist ein Mangel der Abdichtung {day}."
)
MINUTES = (
    "Anwesend waren {day} Eigentümer. Tagesordnungspunkt {day}: Beschluss über die Sanierung des "
    "Daches. Abstimmung: einstimmig angenommen. Der Versammlungsleiter schloss die Sitzung."
)
