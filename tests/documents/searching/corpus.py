"""Generated German (and some English) papers, the same ones each time, and what people type."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from tests.documents.searching.kit import Text

COUNT = 240


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


STREETS = (
    "Hauptstraße",
    "Hauptstrasse",
    "Müllerstraße",
    "Muellerstr.",
    "Königsallee",
    "Am Löwentor",
)
NAMES = ("Müller", "Mueller", "Weiß", "Weiss", "Jäger", "Jaeger", "Schröder", "Özdemir", "Nuñez")
TOPICS = _words("""
    Mietvertrag Untermietvertrag Pachtvertrag Kaufvertrag Mietverträge Kündigung
    Kündigungsfrist Kuendigungsschreiben Nebenkostenabrechnung Heizkosten Kaution Mietkaution
    Rechnung Stromrechnung Rechnungsbetrag Mahnung Mahngebühren Versicherungsschein
    Haftpflichtversicherung Grundsteuerbescheid Steuernummer Kontoauszug Umsatzsteuer Garage
    Tiefgaragenstellplatz Übergabeprotokoll Schlüsselübergabe Hausordnung Wohnfläche Maße Masse
""")
SENTENCES = (
    "Zwischen {name} und der Verwaltung in der {street} {number} wird ein {topic} geschlossen.",
    "Sehr geehrte Frau {name}, anbei erhalten Sie die {topic} vom {day:02}.{month:02}.2024.",
    "Der Betrag von 1.{number:03},{day:02} EUR ist bis zum {day}. Mai fällig, siehe {topic}.",
    "Die ordentliche {topic} muss schriftlich erklärt werden; die außerordentliche auch.",
    "Wir bestätigen Ihnen den Ein-\ngang Ihres Schreibens zum Thema {topic}.",
    "Über die Grö\u00adße der Wohnung und den {topic} wurde mit Herrn {name} gesprochen.",
    "Bitte überweisen Sie auf das Konto DE89 3704 0044 0532 0130 00, Zweck {topic}-{number}.",
    "Die Miet- und Nebenkosten sowie {topic} trägt der Mieter oder sein Rechtsnachfolger.",
    "Der Miet-Vertrag und die E-Mail an info@example.com liegen als Anlage {number} bei.",
    "The rental agreements were signed by Mr {name}, and the deposits are to be paid.",
    "<b>{topic}</b> & mehr: § {number} Abs. {day} BGB gilt für alle \ufb01xen Verträge.",
)
QUERIES = (
    *("kündigung", "Kuendigung", "KÜNDIGUNGEN", "kündig*", "Kündigungsfrist", "frist"),
    *("vertrag", "Verträge", "mietvertrag", "miet*", "Miet-Vertrag", "Vertrag*", "pacht"),
    *("rechnung", "rechnung mahnung", "rechnung oder mahnung", "rechnung OR kontoauszug oder maße"),
    *("hauptstraße", "hauptstrasse", "müller", "Mueller", "müller hauptstrasse", "weiß", "WEISS"),
    *("jäger -kündigung", "vertrag -mietvertrag", "vertrag -miet*", "müller -straße -mahnung"),
    *('"ordentliche Kündigung"', '"die ordentliche"', '"ordentliche kündigung" oder "jäger"'),
    *("eingang", "größe", "groesse der wohnung", "nuñez", "nunez", "özdemir", "oezdemir"),
    *("rental agreement", "agreements", "deposit paid", '"rental agreement"', "signed -deposit"),
    *("DE89 3704", "1.007,07", "info@example.com", "e-mail", "email", "§ 7 BGB", "fixe verträge"),
    *("der", "die oder das", "kosten", "versicherung", "steuer", "maße", "masse", "schlüssel*"),
    *("garage", "stellplatz", "protokoll übergabe", "miet*  garage", "gibtesnicht", "a b c d e"),
)


class Paper(NamedTuple):
    """A paper of the corpus."""

    name: str
    chunks: tuple[Text, ...]


def papers(count: int = COUNT) -> Iterator[Paper]:
    """Write them; each has a title and one to four chunks."""
    random = Random(20_260_101)
    for number in range(count):
        topic = random.choice(TOPICS)
        body = [Text(_chunk(random, topic)) for _ in range(random.randint(1, 4))]
        yield Paper(f"{number:03} {topic}.pdf", (Text(topic, "Title"), *body))


def _chunk(random: Random, topic: str) -> str:
    chosen = random.sample(SENTENCES, random.randint(2, 5))
    return " ".join(_sentence(random, each, topic) for each in chosen)


def _sentence(random: Random, pattern: str, topic: str) -> str:
    return pattern.format(
        name=random.choice(NAMES),
        street=random.choice(STREETS),
        topic=topic if random.random() < 0.5 else random.choice(TOPICS),
        number=random.randrange(1, 40),
        day=random.randrange(1, 29),
        month=random.randrange(1, 13),
    )
