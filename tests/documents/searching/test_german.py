"""What a person types in German finds what they mean, on both stores."""

from __future__ import annotations

import pytest

from tests.documents.searching.kit import Archive

TEXTS = {
    "umlaut": "Die Kündigung der Wohnung erfolgt fristgerecht durch Herrn Müller.",
    "spelled out": "Die Kuendigung der Wohnung durch Herrn Mueller ist eingegangen.",
    "sharp s": "Das Haus steht in der Hauptstraße, Größe und Maße liegen bei.",
    "double s": "Das Haus steht in der Hauptstrasse.",
    "compound": "Zwischen den Parteien wird folgender Mietvertrag geschlossen.",
    "compounds": "Alle Mietverträge und Pachtverträge wurden verlängert.",
    "hyphenated": "Der Miet-Vertrag wurde geprüft.",
    "divided": "Wir bestätigen die Kündigungs-\nbestätigung vom Montag.",
    "half": "Miet-\nund Kaufangebote gelten als erloschen.",
    "soft": "Die Neben\u00adkosten\u00adabrechnung liegt bei.",
    "decomposed": "Der Schlu\u0308ssel zur Gara\u0308ge fehlt.",
    "ligature": "Die \ufb01xen Kosten sind beglichen.",
    "english": "The tenant runs a shop; the agreements that he signed are for two years.",
    "number": "Rechnung 2024/0815 vom 12.03.2024 über 1.234,56 EUR.",
}


MEANT: dict[str, set[str]] = {
    "Kündigung": {"umlaut", "spelled out", "divided"},
    "kuendigung": {"umlaut", "spelled out", "divided"},
    "KÜNDIGUNGEN wohnung": {"umlaut", "spelled out"},
    "müller": {"umlaut", "spelled out"},
    "Mueller": {"umlaut", "spelled out"},
    "hauptstrasse": {"sharp s", "double s"},
    "Hauptstraße": {"sharp s", "double s"},
    "groesse": {"sharp s"},
    "vertrag": {"compound", "compounds", "hyphenated"},
    "Verträge": {"compound", "compounds", "hyphenated"},
    "mietvertrag": {"compound", "compounds", "hyphenated"},
    "miet-vertrag": {"compound", "compounds", "hyphenated"},
    "Miet*": {"compound", "compounds", "hyphenated", "half"},
    "Pacht": {"compounds"},
    "kündigungsbestätigung": {"divided"},
    "Bestätigung": {"divided"},
    "nebenkostenabrechnung": {"soft"},
    "abrechnung": {"soft"},
    "schlüssel garage": {"decomposed"},
    "fixe": {"ligature"},
    "12.03.2024": {"number"},
    "2024/0815": {"number"},
    "03.12.2024": set(),
    "pachtvertrag oder müller": {"compounds", "umlaut", "spelled out"},
    "pachtvertrag OR garage": {"compounds", "decomposed"},
    "haus -hauptstrasse": set(),
    "wohnung -kuendigung": set(),
    "vertrag -pachtvertrag": {"compound", "hyphenated"},
    '"kündigung der wohnung"': {"umlaut", "spelled out"},
    '"wohnung der kündigung"': set(),
    '"vertrag"': {"hyphenated"},
    'kosten -"fixen kosten"': set(),
    "der mietvertrag": {"compound", "compounds", "hyphenated"},
    "„Kündigung der Wohnung“": {"umlaut", "spelled out"},
    "rechnung": {"number", "soft"},
    "running": {"english"},
    "signing agreement": {"english"},
    '"agreements that he signed"': {"english"},
    "the tenants": {"english"},
}


@pytest.fixture(scope="module")
def filled(archives: dict[str, Archive]) -> dict[str, Archive]:
    for archive in archives.values():
        archive.put_all((name, [text]) for name, text in TEXTS.items())
    return archives


@pytest.mark.parametrize("store", ["postgres", "sqlite"])
@pytest.mark.parametrize("typed", MEANT)
def test_what_is_typed_finds_what_is_meant(
    filled: dict[str, Archive], typed: str, store: str
) -> None:
    assert set(filled[store].found(typed)) == MEANT[typed]
