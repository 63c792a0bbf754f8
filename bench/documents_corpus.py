"""German text to search in: words as often as in a language, compounds, names and numbers."""

from __future__ import annotations

from itertools import accumulate
from random import Random


def _words(text: str) -> list[str]:
    return text.split()


_HEADS = _words("""
    vertrag rechnung kündigung wohnung versicherung abrechnung bescheid zahlung steuer miete
    frist kosten schaden gebäude verwaltung straße anlage nummer auszug betrag antrag prüfung
""")
_PARTS = _words("""
    miet kauf haus grund neben bank lohn heiz strom wasser garten dach keller haft pflicht bau
    werk dienst liefer gewerbe arbeits renten kranken lebens jahres monats schluss teil erb pacht
""")
_SMALL = _words("der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als")
_PLAIN = _words("""
    hiermit bestätigen erhalten schreiben datum herr frau gesellschaft unterschrift vereinbart
    gemäß paragraph absatz folgende angaben weitere unterlagen eingang rückfrage telefon
""")
_NAMES = _words("Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Köhler")
RARE = "Sonderkündigungsrecht"


def vocabulary(random: Random) -> list[str]:
    """Make about 8,000 words; the first ones are the most frequent."""
    compounds = [f"{part}{head}".capitalize() for part in _PARTS for head in _HEADS]
    longer = [f"{part}{word.lower()}".capitalize() for word in compounds for part in _PARTS[:8]]
    numbers = [str(random.randrange(10_000)) for _ in range(1_000)]
    rest = [*compounds, *random.sample(longer, 5_000), *numbers, *_NAMES]
    random.shuffle(rest)
    return [*_SMALL, *(head.capitalize() for head in _HEADS), *_PLAIN, *rest]


def chunks(random: Random, count: int) -> list[str]:
    """Write so many texts of 30 to 80 words; one in a thousand has the rare word."""
    words = vocabulary(random)
    weights = list(accumulate(1 / (place + 3) for place in range(len(words))))
    texts = []
    for number in range(count):
        chosen = random.choices(words, cum_weights=weights, k=random.randint(30, 80))
        if number % 1_000 == 0:
            chosen.insert(7, RARE)
        texts.append(" ".join(chosen))
    return texts
