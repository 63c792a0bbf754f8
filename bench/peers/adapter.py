"""One command of one peer's adapter: `python -m bench.peers.adapter NAME COMMAND`.

An adapter is a module `NAME_peer` with these functions, async or not:

    prepare()                   make the schema
    enqueue_each(jobs)          seconds for so many single enqueues
    enqueue_bulk(jobs, size)    seconds for so many in bulk, size at a time where the peer has sizes
    pick_up(jobs)               enqueue 50 ms apart; when each call returned
    work(prompt)                await_go(), then work until ended. prompt: tuned for pick-up

and DISTRIBUTIONS, whose versions are reported. USES_UVLOOP = True runs it on uvloop.
Run in the peer's environment: the standard library only.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import inspect
import json
from importlib.metadata import version
from types import ModuleType
from typing import Any

COMMANDS = ("versions", "prepare", "enqueue_each", "enqueue_bulk", "pick_up", "work")
ANSWER = "ANSWER "


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("numbers", type=int, nargs="*")
    options = parser.parse_args()
    # Imported by its name, never run as __main__: some peers write a handler's module into the job.
    adapter = importlib.import_module(f"bench.peers.{options.name}_peer")
    print(ANSWER + json.dumps(answer(adapter, options.command, options.numbers)), flush=True)


def answer(adapter: ModuleType, command: str, numbers: list[int]) -> Any:
    if command == "versions":
        return {name: version(name) for name in adapter.DISTRIBUTIONS}
    result = getattr(adapter, command)(*numbers)
    if not inspect.iscoroutine(result):
        return result
    if getattr(adapter, "USES_UVLOOP", False):
        import uvloop

        return uvloop.run(result)
    return asyncio.run(result)


if __name__ == "__main__":
    main()
