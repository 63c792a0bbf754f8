"""Made-up people and firms, the same for the same number."""

from __future__ import annotations

FIRST_NAMES = ("Ada", "Björn", "Chidi", "Dilek", "Emeka", "Fatima", "Grace", "Hiro", "Inés", "Jörg")
LAST_NAMES = ("Abe", "Brandt", "Castro", "Dvořák", "Eze", "Fischer", "García", "Haddad", "Ito")
FIRMS = ("Amber", "Birch", "Copper", "Delta", "Ember", "Fjord", "Granite", "Harbour", "Iris")
TRADES = ("Foods", "Labs", "Logistics", "Media", "Optics", "Textiles", "Tools")


def person(number: int) -> str:
    return f"{FIRST_NAMES[number % 10]} {LAST_NAMES[number // 10 % 9]}"


def firm(number: int) -> str:
    return f"{FIRMS[number % 9]} {TRADES[number // 9 % 7]}"


def address(number: int) -> str:
    """Return an e-mail address that is nobody's."""
    return f"person{number}@customers.example"
