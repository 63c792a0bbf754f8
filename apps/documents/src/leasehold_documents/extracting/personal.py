"""Finds what identifies a person in a text, and says only of which kind it is."""

from __future__ import annotations

import re
from collections.abc import Callable

_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{4}){2,7}(?:[ ]?[A-Z0-9]{1,3})?\b")
_IBAN_SIZES = range(15, 35)
_TAX_DIGITS, _VAT_DIGITS = 11, 9
_CARD = re.compile(r"(?<![\d.,-])\d(?:[ -]?\d){12,18}(?![\d.,-]*\d)")
_TAX_ID = re.compile(r"(?<![\d/])\d{2}[ ]?\d{3}[ ]?\d{3}[ ]?\d{3}(?![\d/])")
_TAX_NUMBER = re.compile(r"(?<![\d/])\d{2,3}[ ]?/[ ]?\d{3,4}[ ]?/[ ]?\d{4,5}(?![\d/])")
_VAT_ID = re.compile(r"\bDE[ ]?\d{3}[ ]?\d{3}[ ]?\d{3}\b")
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,5}[^\W\d_]{2,24}\b")
_PHONE = re.compile(
    r"(?<![\w/.,-])(?<!\d )(?:\+|00)[1-9]\d{0,2}[ /()-]{0,3}(?:\d[ /()-]{0,2}){5,12}\d\b"
    r"|(?<![\w/.,-])(?<!\d )\(?0[1-9]\d{1,4}\)?[ ]?[ /-][ ]?\d(?:[ -]?\d){3,9}\b"
    r"|\b(?:tel|telefon|mobil|handy|phone|fax)\.?:?[ ]*\(?\+?\d(?:[ /()-]{0,2}\d){5,13}\b",
    re.IGNORECASE,
)


def personal_kinds(text: str) -> list[str]:
    """Return the kinds that stand there, in order of the alphabet."""
    return sorted(kind for kind, finds in _KINDS.items() if finds(text))


def is_iban(text: str) -> bool:
    """Check its two digits: the number read from the fifth sign on leaves 1 of 97."""
    plain = text.replace(" ", "").upper()
    if len(plain) not in _IBAN_SIZES:
        return False
    return int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1


def is_card(text: str) -> bool:
    """Check a card's number by its last digit, as Luhn has it."""
    digits = [int(sign) for sign in text if sign.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    is_real = len(set(digits)) > 1 and digits[0] in {2, 3, 4, 5, 6}
    return is_real and (sum(doubled) + sum(digits[-1::-2])) % 10 == 0


def is_tax_id(text: str) -> bool:
    """Check a German tax id: eleven digits, of which one is there twice or thrice, and the last."""
    digits = [int(sign) for sign in text if sign.isdigit()]
    if len(digits) != _TAX_DIGITS or digits[0] == 0 or len(set(digits[:10])) not in (8, 9):
        return False
    return _mod_11_10(digits[:10]) == digits[10]


def is_vat_id(text: str) -> bool:
    digits = [int(sign) for sign in text if sign.isdigit()]
    return len(digits) == _VAT_DIGITS and _mod_11_10(digits[:8]) == digits[8]


def _mod_11_10(digits: list[int]) -> int:
    """Return the check digit of ISO 7064, modulus 11 and 10."""
    product = 10
    for digit in digits:
        product = ((digit + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10


def _any(pattern: re.Pattern[str], check: Callable[[str], bool]) -> Callable[[str], bool]:
    return lambda text: any(check(found[0]) for found in pattern.finditer(text))


def _has_iban(text: str) -> bool:
    """Look at shorter readings, too: the word behind an IBAN may look like a part of it."""
    return any(_begins_with_iban(found[0]) for found in _IBAN.finditer(text.upper()))


def _begins_with_iban(text: str) -> bool:
    plain = text.replace(" ", "")
    return any(is_iban(plain[:size]) for size in _IBAN_SIZES)


def _tax(text: str) -> bool:
    checked = _any(_TAX_ID, is_tax_id)(text) or _any(_VAT_ID, is_vat_id)(text)
    return checked or _TAX_NUMBER.search(text) is not None


_KINDS: dict[str, Callable[[str], bool]] = {
    "card": _any(_CARD, is_card),
    "email": lambda text: _MAIL.search(text) is not None,
    "iban": _has_iban,
    "phone": lambda text: _PHONE.search(text) is not None,
    "tax_id": _tax,
}
