"""What German papers say about themselves: their title, and words that hardly others have."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from leasehold_documents.classifying.values import Guess
from leasehold_documents.model.words import Word, fold, german_stem, tidy, words_of

_BEGINNING: Final = 300  # characters in which a paper says what it is
_TITLE, _FIRST = 5, 2  # what a title is worth, and that it is the first one
_MOST_HINTS: Final = 4
_SHORTEST_TITLE: Final = 6  # letters of a title that others may end in: Werkvertrag, Vertrag


class Rule(NamedTuple):
    """A type, what its papers are called, and what stands in them."""

    doc_type: str
    titles: str
    hints: str


RULES: Final = (
    Rule(
        "Mietvertrag",
        "mietvertrag wohnraummietvertrag untermietvertrag gewerbemietvertrag mietverhältnis "
        "tenancy lease",
        "vermieter mieter mietsache kaltmiete nebenkosten kaution mietzins wohnfläche mietdauer "
        "landlord tenant rent deposit premises",
    ),
    Rule(
        "Arbeitsvertrag",
        "arbeitsvertrag anstellungsvertrag dienstvertrag employment",
        "arbeitnehmer arbeitgeber probezeit arbeitszeit urlaub vergütung tätigkeit wochenstunden "
        "employee employer salary",
    ),
    Rule(
        "Vertrag",
        "vertrag kaufvertrag rahmenvertrag werkvertrag darlehensvertrag vereinbarung contract",
        "vertragspartei vertragspartner vertragsgegenstand laufzeit schriftform gerichtsstand",
    ),
    Rule(
        "Kündigung",
        "kündigung kündigungsschreiben kündigungsbestätigung termination",
        "kündige kündigen fristgerecht ordentlich fristlos kündigungsfrist beendigung hiermit",
    ),
    Rule(
        "Rechnung",
        "rechnung rechnungsnummer gutschrift schlussrechnung abschlagsrechnung invoice",
        "rechnungsdatum rechnungsbetrag nettobetrag bruttobetrag mehrwertsteuer umsatzsteuer "
        "ust gesamtbetrag zahlbar leistungszeitraum steuernummer vat payable",
    ),
    Rule(
        "Mahnung",
        "mahnung zahlungserinnerung mahnbescheid reminder",
        "mahngebühr verzug verzugszinsen überfällig fälligkeit zahlungseingang inkasso offen",
    ),
    Rule(
        "Angebot",
        "angebot kostenvoranschlag angebotsnummer quotation",
        "unverbindlich freibleibend gültig auftragserteilung anbieten angebotsdatum",
    ),
    Rule(
        "Kontoauszug",
        "kontoauszug kontostand umsatzübersicht statement",
        "saldo buchung buchungstag valuta wertstellung haben soll iban bic lastschrift überweisung",
    ),
    Rule(
        "Lohnabrechnung",
        "lohnabrechnung gehaltsabrechnung entgeltabrechnung verdienstabrechnung payslip",
        "bruttolohn nettolohn lohnsteuer steuerklasse sozialversicherung rentenversicherung "
        "krankenversicherung auszahlungsbetrag personalnummer",
    ),
    Rule(
        "Steuerbescheid",
        "steuerbescheid einkommensteuerbescheid grundsteuerbescheid umsatzsteuerbescheid "
        "gewerbesteuerbescheid",
        "finanzamt festsetzung festgesetzt einspruch rechtsbehelfsbelehrung steuernummer "
        "erstattung vorauszahlung bescheid",
    ),
    Rule(
        "Versicherung",
        "versicherungsschein versicherungspolice versicherungsvertrag versicherungsbestätigung "
        "insurance",
        "versicherer versicherungsnehmer versicherungssumme selbstbeteiligung deckung prämie "
        "schadensfall versicherungsnummer",
    ),
    Rule(
        "Brief",
        "schreiben mitteilung",
        "sehr geehrte geehrter grüßen freundlichen betreff anlage",
    ),
)
DOC_TYPES: Final = tuple(rule.doc_type for rule in RULES)


def guess(text: str) -> Guess | None:
    """Say what a paper seems to be, and how surely; None for one that says nothing of it."""
    words = [*words_of(tidy(text))]
    points = _hints({word.stem for word in words})
    titles = _titles(word for word in words if word.start < _BEGINNING)
    for place, doc_type in enumerate(titles):
        points[doc_type] = points.get(doc_type, 0) + _TITLE + (_FIRST if place == 0 else 0)
    if not points:
        return None
    ordered = sorted(points, key=lambda doc_type: (-points[doc_type], DOC_TYPES.index(doc_type)))
    best, second = points[ordered[0]], points[ordered[1]] if len(ordered) > 1 else 0
    return Guess(ordered[0], best / (best + 1) * (1 - second / (3 * best)))


def _hints(stems: set[str]) -> dict[str, int]:
    counted = {doc_type: len(hints & stems) for doc_type, hints in _hint_stems().items()}
    return {doc_type: min(count, _MOST_HINTS) for doc_type, count in counted.items() if count}


def _titles(words: Iterable[Word]) -> list[str]:
    """List the types by whose titles a paper begins, in their order."""
    found = (_titled(word.stem) for word in words)
    return list(dict.fromkeys(doc_type for doc_type in found if doc_type is not None))


def _titled(stem: str) -> str | None:
    """Choose the longest title that a word is, or ends in."""
    titles = _title_stems()
    ends = (stem[start:] for start in range(len(stem)))
    for end in ends:
        if end in titles and (end == stem or len(end) >= _SHORTEST_TITLE):
            return titles[end]
    return None


@lru_cache(maxsize=1)
def _title_stems() -> dict[str, str]:
    return {stem: rule.doc_type for rule in RULES for stem in _stems(rule.titles)}


@lru_cache(maxsize=1)
def _hint_stems() -> dict[str, frozenset[str]]:
    return {rule.doc_type: _stems(rule.hints) for rule in RULES}


def _stems(words: str) -> frozenset[str]:
    return frozenset(german_stem(fold(word)) for word in words.split())
