"""What `leasehold doctor` and the dashboard find beyond what the store says of itself."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from leasehold.errors import EncryptionError, SchemaMismatch, StoreMoved
from leasehold.model.keeping import DAY_SECONDS, Pruning
from leasehold.model.schedules import IN_TIME
from leasehold.model.values import Finding
from leasehold.model.wording import count
from leasehold.sandbox.probing import probe

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from leasehold.client import Client
    from leasehold.model.values import WorkerInfo

_SILENT = timedelta(seconds=60)  # four heartbeats
_LOOK_LIMIT = 1_000
_LATE_SECONDS = DAY_SECONDS


def examine(client: Client) -> list[Finding]:
    """Look at everything; without fitting tables only at the store."""
    schema = _examine_schema(client)
    findings = [schema, *client.store.examine(), _examine_sandbox(), _examine_keys(client)]
    if schema.level == "ok":
        workers = client.workers()
        findings += _examine_workers(workers)
        findings += _examine_queues(client, workers)
        findings += _examine_parked(client)
        findings += _examine_leases(client)
        findings.append(_examine_retention(client))
        findings += _examine_schedules(client, workers)
    return findings


def _examine_schema(client: Client) -> Finding:
    try:
        client.store.check_schema()
    except (SchemaMismatch, StoreMoved) as error:
        return Finding(level="problem", topic="tables", message=str(error))
    return _ok("tables", f"version {client.store.schema().version}, which fits this leasehold")


def _examine_workers(workers: Sequence[WorkerInfo]) -> Iterator[Finding]:
    if not workers:
        yield _warning("workers", "none has shown itself", "start one: leasehold work your.module")
        return
    oldest = datetime.now(UTC) - _SILENT
    silent = [each.name for each in workers if each.seen_at is None or each.seen_at < oldest]
    yield _ok("workers", f"{len(workers) - len(silent)} there")
    if silent:
        yield _warning(
            "workers",
            f"not seen for over a minute: {', '.join(silent[:5])}",
            "they were killed, or hang; their jobs come back when their leases lapse",
        )


def _examine_queues(client: Client, workers: Sequence[WorkerInfo]) -> Iterator[Finding]:
    served = {queue for worker in workers for queue in worker.queues}
    for each in client.counts():
        if workers and each.ready and each.queue not in served:
            yield _warning(
                "queues",
                f"{each.queue} has {count(each.ready, 'ready job')} and no worker serves it",
                f"start one: leasehold work your.module --queue {each.queue}",
            )


def _examine_parked(client: Client) -> Iterator[Finding]:
    parked = client.store.parked_kinds()
    for kind, amount in parked.items():
        yield _warning(
            "parked jobs",
            f"{count(amount, 'job')} of kind {kind}, which no worker knew that met them",
            "start a worker with that task; they are kept until then",
        )
    if not parked:
        yield _ok("parked jobs", "none: every kind met so far is known to a worker")


def _examine_leases(client: Client) -> Iterator[Finding]:
    lapsed = client.store.lapsed(limit=_LOOK_LIMIT)
    if lapsed:
        amount = count(len(lapsed), "lease has", "leases have")
        yield _warning(
            "leases",
            f"{amount} lapsed and not been taken back yet",
            "a running worker takes them back within about a third of their lease",
        )
    else:
        yield _ok("leases", "none has lapsed")


def _examine_retention(client: Client) -> Finding:
    late = client.store.prune(
        Pruning.JOBS, limit=_LOOK_LIMIT, dry_run=True, late_seconds=_LATE_SECONDS
    )
    if late.gone == 0:
        return _ok("retention", "no job has been kept for over a day too long")
    many = f"over {late.gone:,} jobs" if late.seen == _LOOK_LIMIT else count(late.gone, "job")
    return _warning(
        "retention",
        f"{many} should have been taken away over a day ago",
        "a running worker does so by and by; leasehold prune does it now",
    )


def _examine_schedules(client: Client, workers: Sequence[WorkerInfo]) -> Iterator[Finding]:
    running = [each for each in client.schedules.list() if each.paused_at is None]
    missed_before = client.store.now() - IN_TIME
    late = [each.name for each in running if each.next_at and each.next_at < missed_before]
    if late:
        yield _warning(
            "schedules",
            f"nobody has fired, though their slot is over a minute ago: {', '.join(late[:5])}",
            "start a worker; one that can't fire it logs `schedule not fired`, with the reason",
        )
    known = {kind for worker in workers for kind in worker.kinds}
    for each in running:
        if workers and each.kind not in known:
            yield _warning(
                "schedules",
                f"{each.name} makes jobs of kind {each.kind}, which no worker knows",
                f"start a worker with that task, or: leasehold schedules delete {each.name}",
            )
    if running and not late:
        yield _ok("schedules", f"{count(len(running), 'schedule')}, none is late")


def _examine_keys(client: Client) -> Finding:
    keyring = client.store.keyring
    if keyring is None:
        return _ok("encryption", "no keys here: encrypted jobs are refused, and wait")
    try:
        keyring.cipher(keyring.document.active)
    except EncryptionError as error:
        return Finding(level="problem", topic="encryption", message=str(error))
    if keyring.file is not None and keyring.file.stat().st_mode & 0o077:
        return _warning(
            "encryption",
            "others than its owner can read the file of the keys",
            f"chmod 600 {keyring.file}",
        )
    return _ok("encryption", f"{count(len(keyring.document.keys), 'key')}, all usable")


def _examine_sandbox() -> Finding:
    means = probe()
    have = {"a network namespace": means.namespace, "seccomp": means.seccomp}
    names = [name for name, is_there in have.items() if is_there]
    if names:
        told = f"isolated tasks can be kept off the network, by {' and '.join(names)}"
        return _ok("sandbox", told + (f" ({means.reason})" if means.reason else ""))
    return _warning(
        "sandbox",
        f"tasks with network=False can't run on this machine: {means.reason}",
        "allow user namespaces or seccomp here, or run their workers on a machine that does",
    )


def _ok(topic: str, message: str) -> Finding:
    return Finding(level="ok", topic=topic, message=message)


def _warning(topic: str, message: str, remedy: str) -> Finding:
    return Finding(level="warning", topic=topic, message=message, remedy=remedy)
