"""What every application says: German."""

from __future__ import annotations

GERMAN: dict[str, str] = {
    "skip": "Zum Inhalt",
    "none": "–",  # noqa: RUF001 - a dash, as it is printed
    "dashboard": "Warteschlange und Übersicht",
    "reads_only": "darf nur lesen",
    "marks": ".,",
    "months": "Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.",
    "moment": "{day}. {month} {year}, {time} UTC",
    "live.lost": "Die Seite wird gerade nicht erneuert; es geht von selbst weiter.",
    "nav.label": "Seiten",
    "language.label": "Sprache",
    "page.next": "Mehr",
    "problem.title.404": "Hier ist nichts",
    "problem.title.403": "Nicht erlaubt",
    "problem.title.503": "Gerade nicht möglich",
    "problem.title.other": "Das hat nicht geklappt",
    "problem.400": "Was gesendet wurde, ist nicht lesbar.",
    "problem.403": "Das dürfen Sie nicht.",
    "problem.404": "Unter dieser Adresse gibt es nichts von Ihnen.",
    "problem.409": "Das passt nicht zu dem, was schon da ist.",
    "problem.413": "Was gesendet wurde, ist zu groß.",
    "problem.422": "Was gesendet wurde, ist nicht verwendbar.",
    "problem.500": "Etwas ging schief. Das Protokoll des Dienstes sagt, was.",
    "problem.503": "Die Datenbank ist gerade nicht erreichbar. Bitte gleich noch einmal versuchen.",
    "problem.wrong-scope": "Sie dürfen hier nur lesen.",
    "problem.home": "Zur ersten Seite",
}
