"""Every text that a person sees, in one table for each language."""

from __future__ import annotations

from leasehold.kit.web import Languages
from leasehold_links.web.texts.english import ENGLISH
from leasehold_links.web.texts.korean import KOREAN

LANGUAGES = Languages({"en": ENGLISH, "ko": KOREAN}, names={"en": "English", "ko": "한국어"})
