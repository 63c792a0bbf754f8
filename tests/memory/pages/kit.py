"""Pages as a browser asks for them, and a memory with something of every kind to show."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import leasehold as lh
from leasehold_memory import tasks
from leasehold_memory.data import entities, units
from leasehold_memory.model.units import Sensitivity, UnitKind, UnitState
from tests.memory.data.kit import NOON, fact, say, summary

if TYPE_CHECKING:
    import httpx

    from leasehold_memory.opening import Memory
    from tests.memory.web.kit import Asker

SCRIPT = "<script>window.hit = 1</script>'\"></title><img src=x onerror=window.hit=2>"
TURNED = "turned \u202e round"


class Furnished(NamedTuple):
    """What there is to see."""

    said: int
    fact: int
    person: int
    job: str

    @property
    def paths(self) -> list[str]:
        """Every page, and some of each kind that there are many of."""
        lists = ["/memories?kind=fact&q=大阪", "/memories"]
        units = [f"/memories/{self.said}", f"/memories/{self.fact}"]
        people = ["/people", f"/people/{self.person}"]
        jobs = ["/jobs", f"/jobs/{self.job}"]
        return ["/", *lists, *units, *people, *jobs, "/settings"]


def furnish(memory: Memory) -> Furnished:
    """Remember something of each kind, some of it hostile."""
    with memory.database.write() as connection:
        said = say(connection, f"大阪に引っ越した {SCRIPT}", reply=TURNED + "W" * 3_000)
        later = say(connection, "京都", at=NOON + timedelta(days=1), sensitivity=Sensitivity.SECRET)
        person = entities.resolve(connection, "person", f"Emma {SCRIPT}", [SCRIPT, "エマ"])
        topic = entities.resolve(connection, "topic", "W" * 300)
        for each in (said, later):
            entities.mention(connection, each, {person: 1.0, topic: 0.5})
        own = fact(connection, f"大阪 {SCRIPT}", subject_id=person, evidence=[said, later]).unit_id
        fact(connection, "Nara", evidence=[said], state=UnitState.CLOSED)
        about = {"scope_key": f"person:{person}", "entity_id": person}
        summary(connection, SCRIPT, evidence=[said], payload=about, tags=[SCRIPT, "猫"])
        units.save(
            connection,
            UnitKind.LOOP,
            "loop",
            {"loop_text": "W" * 500},
            occurred_at=NOON,
            evidence=[said],
        )
        units.edit(connection, own, {"object_text": f"大阪市 {SCRIPT}"})
    return Furnished(said, own, person, _fail(memory))


def _fail(memory: Memory) -> str:
    """Let a job fail for good, for a hostile reason, and leave another one waiting."""

    @lh.task(name="upsert_embeddings", queue=tasks.QUEUE)
    def fail(unit_id: int) -> None:
        raise lh.Dead(f"{unit_id} {SCRIPT}")

    dead = memory.client.enqueue(tasks.upsert_embeddings, 7)
    lh.Worker(memory.client, [fail]).run(until_empty=True)
    memory.client.enqueue(tasks.capsule_refresh, 5)
    return str(dead.id)


def page(asker: Asker, path: str, language: str = "en", status: int = 200) -> str:
    """Read a page as a browser does."""
    headers = {**asker.shown, "accept": "text/html", "accept-language": language}
    answer = asker.ask("GET", path, headers=headers)
    assert answer.status_code == status, answer.text
    assert "script-src 'self';" in answer.headers["content-security-policy"]
    assert answer.headers["content-language"] == language
    return answer.text


def send(asker: Asker, path: str, **form: Any) -> httpx.Response:
    """Send a form."""
    headers = {**asker.shown, "accept": "text/html", "accept-language": "en"}
    return asker.ask("POST", path, data=form, headers=headers)
