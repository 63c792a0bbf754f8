"""Words that say nothing of what a text is about; in a phrase they count, alone they do not."""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _declined(roots: str, endings: str) -> set[str]:
    return {root + ending for root in roots.split() for ending in ("", *endings.split())}


# Umlauts are written as they are folded: see `fold`.
_DECLINED: Final = (
    _declined("mein dein sein ihr unser uns euer eur ein kein", "e em en er es")
    | _declined("dies jen jed manch solch welch all ander einig", "e em en er es")
    | _declined("derselb dasselb dieselb desselb demselb denselb", "e en")
    | _declined("ander", "m n r s")
)
GERMAN: Final = _DECLINED | _words("""
    der die das des dem den derer dessen ich du er sie es wir ihnen ihm ihn mich dich sich uns euch
    mir dir man bin bist ist sind seid war warst waren gewesen hab habe haben hat hatte hatten werde
    werden wird wirst wurde wurden will wollen wollte wuerde wuerden soll sollte muss musste kann
    koennen koennte mache machen ab aber als also am an auch auf aus bei beim bis da damit dann dass
    dazu denn doch dort durch einmal etwas fuer gegen hier hin hinter im in indem ins jetzt mit nach
    nicht nichts noch nun nur ob oder ohne sehr selbst so sondern sonst ueber um und unter viel vom
    von vor waehrend warum was weg weil weiter wenn wer wie wieder wo zu zum zur zwar zwischen
""")
ENGLISH: Final = _words("""
    i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she
    her hers herself it its itself they them their theirs themselves what which who whom this that
    these those am is are was were be been being have has had having do does did doing a an the and
    but if or because as until while of at by for with about against between into through during
    before after above below to from up down in out on off over under again further then once here
    there when where why how all any both each few more most other some such no nor not only own
    same so than too very can will just should now
""")
STOP_WORDS: Final = GERMAN | ENGLISH
