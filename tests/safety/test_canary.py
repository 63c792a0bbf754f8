"""A secret goes in everywhere; then everything that a stranger could read is searched for it."""

from __future__ import annotations

import base64
import json
import logging
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import pytest
import sentry_sdk
from click.testing import CliRunner
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import leasehold as lh
from leasehold.cli.logs import ConsoleFormatter, JsonFormatter
from leasehold.cli.program import program
from leasehold.client import Client
from leasehold.errors import LeaseholdError
from leasehold.otel import Tracing
from leasehold.sealing.keyring import Keyring
from leasehold.sentry import Sentry
from leasehold.store import open_store
from leasehold.web import WebSettings
from tests.safety import canary_tasks as tasks
from tests.safety.dump import dump
from tests.watch.providers import forget_provider
from tests.watch.test_sentry import Kept
from tests.web.kit import Service, serve_inside
from tests.web.pages import PATHS
from tests.worker.kit import new_worker, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.postgres_server import PostgresServer

CORE = "c4nary4711"
CANARY = f"{CORE} \"x'/+é"  # is written in another way by each of JSON, repr and URLs
CONTROL = "seen-everywhere-0815"


@pytest.fixture
def log() -> Iterator[list[str]]:
    """What all loggers say, at every level, in both forms and with the raw fields."""
    lines: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.extend(
                [JsonFormatter().format(record), ConsoleFormatter().format(record)]
                if record.name.startswith("leasehold")
                else []
            )
            if record.name.startswith("leasehold"):
                lines.append(str(vars(record)))

    handler, root = Keep(logging.DEBUG), logging.getLogger("leasehold")
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield lines
    root.removeHandler(handler)
    root.setLevel(level)


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    forget_provider()
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    yield exporter
    provider.shutdown()
    forget_provider()


@pytest.fixture
def events() -> Iterator[Kept]:
    transport = Kept()
    sentry_sdk.init(
        dsn="https://public@127.0.0.1/1",
        transport=transport,
        include_local_variables=True,
        default_integrations=False,
        max_value_length=100_000,
    )
    yield transport
    sentry_sdk.get_client().close()
    sentry_sdk.get_global_scope().set_client(None)


class Watched(NamedTuple):
    """What others get to see while jobs run."""

    log: list[str]
    spans: InMemorySpanExporter
    events: Kept


@pytest.fixture
def watched(log: list[str], spans: InMemorySpanExporter, events: Kept) -> Watched:
    return Watched(log, spans, events)


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    """On PostgreSQL the url has a password that is the secret, too; the server trusts anybody."""
    found: str = request.getfixturevalue(f"{request.param}_url")
    if request.param == "sqlite":
        return found
    scheme, _, rest = found.partition("://")
    user, _, host = rest.rpartition("@")
    return f"{scheme}://{user.partition(':')[0] or 'postgres'}:{quote(CANARY, safe='')}@{host}"


@pytest.fixture
def keyring(tmp_path: Path) -> Keyring:
    Keyring.generate().save(tmp_path / "keys.json")
    return Keyring.read(tmp_path / "keys.json")


def fill(client: Client) -> list[Any]:
    """Put the secret into everything that takes something."""
    card = {"card": CANARY}
    made = [
        client.enqueue(tasks.returns.with_options(key=lh.by("card"), on_end=tasks.told), **card),
        client.enqueue(tasks.raises.with_options(on_end=tasks.told), **card),
        client.enqueue(tasks.raises_async, **card),
        client.enqueue(tasks.leaks, lh.Secret(CANARY)),
        *(
            client.enqueue(tasks.gives_up.with_options(max_attempts=2), CANARY, how)
            for how in ("dead", "cancel", "snooze", "retry")
        ),
        client.enqueue(tasks.saves, **card),
        client.enqueue(tasks.isolated, **card),
        client.enqueue(tasks.in_transaction, **card),
        client.enqueue(tasks.connects, host="db"),
        client.enqueue(tasks.shown, text=CONTROL),
        client.enqueue(tasks.returns.with_options(delay="1h"), **card),
    ]
    client.schedules.set("monthly", "0 3 1 * *", tasks.returns.call(**card))
    client.credentials.set("stripe", CANARY)
    batch = client.batches.create(name="together")
    batch.add(tasks.raises, **card)
    batch.seal()
    return [each.id for each in made]


def run(client: Client) -> None:
    with new_worker(client, tasks.ALL, observers=[Tracing(), Sentry(failed=True)]):
        wait_until(lambda: not any(each.ready + each.running for each in client.counts()), "done")
        wait_until(lambda: _failed_once(client), "the failed ones were tried again")


def _failed_once(client: Client) -> bool:
    left = client.find(state="failed")
    return all(job.kind == tasks.gives_up.name for job in left) and not client.find(state="running")


def pages(service: Service, job_ids: list[Any]) -> Iterator[tuple[str, str]]:
    """Read every page and every document of the API about these jobs."""
    paths = [*PATHS, "/api/jobs", "/api/stats/failures?window=24h", "/api/schedules", "/metrics"]
    paths += ["/api/stats", "/api/batches", "/api/workers", "/api/queues", "/openapi.json"]
    paths += ["/jobs?q=paid", "/jobs?state=dead", "/batches"]
    for job_id in job_ids:
        paths += [f"/jobs/{job_id}"]
        paths += [f"/jobs/{job_id}/whole/{what}" for what in ("arguments", "result", "error")]
        paths += [f"/api/jobs/{job_id}{part}" for part in ("", "/detail", "/history", "/why")]
        paths += [f"/api/jobs/{job_id}/checkpoint", f"/api/jobs/{job_id}/steps"]
    for path in paths:
        yield path, service._request("GET", path).text


def commands(job_ids: list[Any]) -> Iterator[tuple[str, str]]:
    """Read what the command line prints, with and without --json."""
    lines = [["jobs", "list"], ["failures"], ["doctor"], ["stats"], ["schedules", "list"]]
    lines += [["keyring", "list", "--count"], ["credentials", "list"], ["workers"], ["batches"]]
    lines += [["jobs", "show", str(each)] for each in job_ids]
    lines += [["why", str(each)] for each in job_ids]
    for words in lines:
        for form in ([], ["--json"]):
            said = CliRunner().invoke(program, [*words, *form])
            yield " ".join([*words, *form]), said.output + said.stderr


def spellings() -> list[str]:
    """Return what the secret looks like, also in base64 at each of its three shifts."""
    shifted = [base64.b64encode(b"x" * shift + CORE.encode()) for shift in (0, 1, 2)]
    parts = [text[4:12] for text in shifted]
    return [CORE, *(part.decode() for part in parts)]


def hits(found: Mapping[str, str]) -> list[str]:
    return [
        f"{name}: …{text[max(0, text.index(each) - 60) : text.index(each) + 60]}…"
        for name, text in found.items()
        for each in spellings()
        if each in text
    ]


def test_the_secret_is_nowhere_but_in_ciphertext(
    url: str, keyring: Keyring, watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEASEHOLD_URL", url)
    monkeypatch.setenv("LEASEHOLD_KEYS", str(keyring.file))
    found: dict[str, str] = {}
    with closing(open_store(url)) as store:
        store.migrate()
    with Client(url, keyring=keyring) as client, ExitStack() as stack:
        job_ids = fill(client)
        run(client)
        found |= {"dump": dump(url)}
        service = stack.enter_context(serve_inside(client, WebSettings()))
        found |= dict(pages(service, job_ids))
        found |= dict(commands(job_ids))
        found["revealed errors"] = str([client.reveal(each).error for each in (job_ids[3],)])
        found["audit"] = str(client.audit.list())
    found["log"] = "\n".join(watched.log)
    found["traces"] = "\n".join(span.to_json() for span in watched.spans.get_finished_spans())
    found["events"] = b"".join(watched.events.sent).decode()
    assert hits(found) == []
    # What is not secret is found in all of these: so the searches search.
    assert CONTROL in found["dump"]
    assert CONTROL in found["/jobs"]
    assert CONTROL in found["jobs list --json"]
    for name in ("log", "traces", "events"):
        assert tasks.raises.name in found[name], name
    assert "encrypted, key k1" in found[f"/jobs/{job_ids[0]}"]


def test_a_url_with_a_password_that_can_not_be_reached_or_read_never_shows_it(
    log: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    password = quote(CANARY, safe="")
    said: dict[str, str] = {}
    for number, bad in enumerate(
        [
            f"postgresql://ann:{password}@127.0.0.1:1/shop",
            f"postgresql://ann:{CORE}@{CORE}@127.0.0.1:1/shop",
            f"postgresql://ann:%zz{CORE}@127.0.0.1:1/shop",
            f"postgresql://ann:{password}@127.0.0.1:1/shop?sslpassword={password}",
            f"mysql://ann:{password}@db/shop",
        ]
    ):
        monkeypatch.setenv("LEASEHOLD_URL", bad)
        with Client(bad) as client, pytest.raises(LeaseholdError) as raised:
            client.counts()
        said[f"error {number}"] = f"{raised.value} {raised.value.__cause__} {vars(raised.value)}"
        for words in (["jobs", "list"], ["doctor", "--json"], ["jobs", "list", "--debug"]):
            answer = CliRunner().invoke(program, words)
            said[f"{words} {number}"] = answer.output + answer.stderr
    said["log"] = "\n".join(log)
    assert hits(said) == []


def test_the_server_of_the_database_logs_no_secret(
    postgres_server: PostgresServer, postgres_url: str, keyring: Keyring
) -> None:
    """A statement that fails is written to its log, perhaps with what it was given."""
    with Client(postgres_url, keyring=keyring) as client:
        client.store.migrate()
        named = tasks.returns.with_options(id=client.ids.next())
        client.enqueue(named, card=CANARY)
        with pytest.raises(lh.IdConflict):
            client.enqueue(named, card=f"{CANARY} another")
        with new_worker(client, [tasks.returns]), pytest.raises(lh.PlainArguments):
            client.enqueue_by_name(tasks.returns.name, {"card": "plain"})
    log = postgres_server.log_path.read_text(errors="replace")
    assert hits({"server": log}) == []
    assert json.dumps({"card": "plain"}) not in log
