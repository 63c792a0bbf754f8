"""Every text that a person sees, German first."""

from leasehold.kit.web import Languages
from leasehold_documents.web.texts.english import ENGLISH
from leasehold_documents.web.texts.german import GERMAN

LANGUAGES = Languages({"de": GERMAN, "en": ENGLISH}, names={"de": "Deutsch", "en": "English"})
