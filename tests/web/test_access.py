"""Who is let in: what holds at every moment, also at the first."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

from leasehold.web.access.access import Access
from leasehold.web.settings import WebSettings

if TYPE_CHECKING:
    import pytest

    from leasehold.client import Client


def test_nobody_is_let_in_while_the_first_look_for_tokens_is_under_way(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.tokens.add("ci")
    is_looking, may_answer = threading.Event(), threading.Event()
    has_tokens = client.store.has_tokens

    def look_slowly() -> bool:
        is_looking.set()
        assert may_answer.wait(30)
        return has_tokens()

    monkeypatch.setattr(client.store, "has_tokens", look_slowly)
    access = Access(client, WebSettings())

    async def ask_while_it_looks() -> list[bool]:
        first = asyncio.create_task(access.is_on())
        await asyncio.to_thread(is_looking.wait, 30)
        others = [asyncio.create_task(access.is_on()) for _ in range(3)]
        await asyncio.sleep(0)  # they have asked by now
        may_answer.set()
        return list(await asyncio.gather(first, *others))

    assert asyncio.run(ask_while_it_looks()) == [True] * 4
