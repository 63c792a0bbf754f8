"""Every text that a person sees, in Japanese and English."""

from leasehold.kit.web import Languages
from leasehold_memory.web.texts.english import ENGLISH
from leasehold_memory.web.texts.japanese import JAPANESE

LANGUAGES = Languages({"en": ENGLISH, "ja": JAPANESE}, names={"ja": "日本語", "en": "English"})
