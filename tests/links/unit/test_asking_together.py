"""Questions that come together are asked together, and rules of sites are kept in mind, not all."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import pytest

from leasehold_links.enriching.memory import RulesMemory
from leasehold_links.enriching.together import MOST, Together
from leasehold_links.model.outcomes import ROBOTS_UNREACHABLE
from leasehold_links.pages.robots import Rules


def test_what_comes_while_one_question_is_under_way_is_asked_as_one() -> None:
    asked: list[list[int]] = []
    begun, gate = threading.Event(), threading.Event()

    def answer_all(numbers: Sequence[int]) -> list[int]:
        asked.append(list(numbers))
        begun.set()
        gate.wait(10)
        return [-number for number in numbers]

    async def ask() -> list[int]:
        together = Together(answer_all)
        first = asyncio.create_task(together.ask(0))
        await asyncio.to_thread(begun.wait, 10)
        rest = [asyncio.create_task(together.ask(number)) for number in range(1, MOST + 11)]
        await asyncio.sleep(0)
        gate.set()
        return list(await asyncio.gather(first, *rest))

    assert asyncio.run(ask()) == [-number for number in range(MOST + 11)]
    assert [len(each) for each in asked] == [1, MOST, 10]


def test_one_that_can_not_be_answered_spoils_no_other() -> None:
    def answer_all(numbers: Sequence[int]) -> list[int]:
        if 3 in numbers:
            raise ValueError("three")
        return list(numbers)

    async def ask() -> list[int | BaseException]:
        together = Together(answer_all)
        return list(await asyncio.gather(*map(together.ask, range(6)), return_exceptions=True))

    found = asyncio.run(ask())
    assert [each for each in found if isinstance(each, int)] == [0, 1, 2, 4, 5]
    assert isinstance(found[3], ValueError)


def test_whoever_is_stopped_while_he_waits_harms_nobody() -> None:
    async def ask() -> int:
        together: Together[int, int] = Together(list)
        stopped = asyncio.create_task(together.ask(1))
        other = asyncio.create_task(together.ask(2))
        await asyncio.sleep(0)
        stopped.cancel()
        with pytest.raises(asyncio.CancelledError):
            await stopped
        return await other

    assert asyncio.run(ask()) == 2


def test_rules_are_forgotten_in_time_and_when_there_are_too_many() -> None:
    now = [0.0]
    memory = RulesMemory(most_characters=100, clock=lambda: now[0])
    memory.keep("a", Rules("x" * 40), 10)
    memory.keep("b", Rules("x" * 40), 20)
    assert memory.get("a") is not None
    memory.keep("c", Rules("x" * 40), 20)
    assert memory.get("b") is None, "it was asked for longest ago"
    assert memory.get("a") is not None
    now[0] = 10.0
    assert memory.get("a") is None
    assert memory.get("c") is not None


def test_why_rules_could_not_be_had_is_known_for_a_while() -> None:
    now = [0.0]
    memory = RulesMemory(clock=lambda: now[0])
    memory.keep("a", ROBOTS_UNREACHABLE, 240)
    assert memory.get("a") is None
    assert memory.why_unreachable("a") is ROBOTS_UNREACHABLE
    now[0] = 240.0
    assert memory.why_unreachable("a") is None
