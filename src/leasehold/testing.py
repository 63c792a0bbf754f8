"""For the tests of programs that use leasehold. Nothing here needs a server, a thread or a sleep.

from leasehold import testing

def test_an_order_sends_an_invoice():
    with testing.client() as client:
        place_order(client)
        testing.assert_enqueued(client, send_invoice, invoice_id=7)
        testing.advance(client, "1h")                # what was due by then is ready now
        assert testing.drain(client, [send_invoice]).succeeded == 1

def test_a_handler_alone():
    assert testing.run_inline(add, 1, 2) == 3
"""

from __future__ import annotations

from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

import msgspec

from leasehold._inline import claim_next, run_attempt
from leasehold.client import Client
from leasehold.errors import BadArguments
from leasehold.model.durations import Duration, seconds
from leasehold.payload import encode
from leasehold.registry import Registry
from leasehold.revealing import open_job
from leasehold.sealing.keyring import Keyring
from leasehold.worker.report import Reason, Report, Tally

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable, Iterator
    from types import ModuleType

    from leasehold.model.values import Job
    from leasehold.task import Task

P = ParamSpec("P")
R = TypeVar("R")


@contextmanager
def client() -> Iterator[Client]:
    """Make a queue of the test's own: SQLite in a folder that goes when the block ends.

    It has keys of its own, so that encrypted tasks run.
    """
    keyring = Keyring.generate()
    with (
        TemporaryDirectory(prefix="leasehold-") as folder,
        Client(f"sqlite:///{folder}/leasehold.db", keyring=keyring) as opened,
    ):
        yield opened


def advance(client: Client, by: Duration) -> None:
    """Move this client's clock on: scheduled jobs and retries fall due, leases lapse."""
    client.store.skew_seconds += seconds(by, name="advance()")


def drain(
    client: Client,
    tasks: Iterable[Task[..., Any]] | ModuleType | Registry,
    *,
    raises: bool = False,
    most: int = 10_000,
) -> Report:
    """Run every job that is due, one after the other in this thread, until none is left.

    Jobs that these jobs enqueue run too. Isolated tasks run here as well, and no deadline
    interrupts. With `raises` the first error of a handler comes out here, after its job was
    settled. `most` bounds the attempts, for tasks that enqueue themselves for ever.
    """
    registry = tasks if isinstance(tasks, Registry) else Registry(tasks)
    tally = Tally()
    for _ in range(most):
        claim = claim_next(client, registry)
        if claim is None:
            return tally.report(Reason.EMPTY)
        ran = run_attempt(client, registry[claim.kind], claim)
        tally.add(ran.outcome)
        if raises and ran.error is not None:
            raise ran.error
    raise AssertionError(f"drain() ran {most:,} attempts and jobs are still coming")


@overload
def run_inline(
    task: Task[P, Coroutine[Any, Any, R]], /, *args: P.args, **kwargs: P.kwargs
) -> R: ...
@overload
def run_inline(task: Task[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R: ...
def run_inline(task: Task[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Run one job through a queue of its own; return what its handler does, raise what it raises.

    Unlike a plain call it checks arguments and result as JSON, and `current_job()` is there.
    """
    with client() as own:
        own.enqueue(task.with_options(delay=None), *args, **kwargs)
        claim = claim_next(own, Registry([task]))
        assert claim is not None, f"the job of {task.name} was not ready"  # noqa: S101 - a test's
        ran = run_attempt(own, task, claim)
    if ran.error is not None:
        raise ran.error
    task.encode_result(ran.value)
    return ran.value


def assert_enqueued(client: Client, task: Task[..., Any] | str, /, **args: Any) -> Job:
    """Return the newest job of the task with at least these arguments, in any state, or fail."""
    found = [_opened(client, job) for job in client.each(kind=task)]
    for job in found:
        if _has(job, args):
            return job
    seen = "".join(f"\n  {job.args!r} ({job.state})" for job in found[:10]) or " none"
    raise AssertionError(f"no job of {task!r} with {args!r}; there are:{seen}")


def assert_not_enqueued(client: Client, task: Task[..., Any] | str, /, **args: Any) -> None:
    """Fail if there is a job of the task with these arguments, whatever its state."""
    for job in (_opened(client, each) for each in client.each(kind=task)):
        if _has(job, args):
            raise AssertionError(f"{task!r} was enqueued: {job.id} {job.args!r} ({job.state})")


def _opened(client: Client, job: Job) -> Job:
    """Read an encrypted job's arguments: a test knows what it has enqueued."""
    standing = client.store.get(job.id)
    return job if standing is None else open_job(standing, client.store.keyring)


def _has(job: Job, args: dict[str, Any]) -> bool:
    def refuse(reason: str) -> BadArguments:
        return BadArguments(job.kind, reason)

    wanted = msgspec.json.decode(encode(args, root="args", limit=2**28, refuse=refuse))
    return all(name in job.args and job.args[name] == value for name, value in wanted.items())
