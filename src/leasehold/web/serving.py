"""Serves the service: its socket, its embedded workers, its end.

At a signal everything is told to end at once: open streams, the workers, requests under way. What
is not done within two seconds is cut off.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from leasehold.errors import BadOption
from leasehold.web.listening import Listening
from leasehold.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from leasehold.web.assembly import Assembly

RUNS_GRACE_SECONDS = 5.0
DEFAULT_PORT = 8320
DEFAULT_GRACE = "1s"
_logger = logging.getLogger("leasehold.web")


def check_address(host: str, *, is_asking: bool) -> None:
    """Refuse an address that others can reach where nobody is asked who they are."""
    if is_asking or is_loopback(host):
        return
    raise BadOption(
        f"host: {host} can be reached by others, and the service would ask nobody who they are; "
        "make a token first (leasehold token add), say --auth required, or bind it to 127.0.0.1"
    )


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def open_socket(host: str, port: int) -> socket.socket:
    """Take the port, so that it is known, and nobody else's, before anything starts."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise BadOption(f"host: {host!r} is no address of this machine: {error}") from error
    family, kind, protocol, _name, address = found[0]
    opened = socket.socket(family, kind, protocol)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
        opened.listen(2_048)
    except OSError as error:
        opened.close()
        raise BadOption(
            f"port {port} of {host} can't be had ({error.strerror}): end what uses it, or choose "
            "another one with --port"
        ) from error
    return opened


def address_of(opened: socket.socket) -> str:
    """Write the address that people type."""
    host, port = opened.getsockname()[:2]
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 - not bound  # nosec B104
    shown = everywhere.get(host, host)
    return f"http://{f'[{shown}]' if ':' in shown and '[' not in shown else shown}:{port}"


class Running:
    """The service while it is served. `end` may be called from any thread."""

    def __init__(
        self,
        assembly: Assembly,
        workers: Sequence[Worker],
        *,
        has_access_log: bool,
        root_path: str,
        proxies: Sequence[str] = (),
    ) -> None:
        self._ending = assembly.main.ending
        self._sites = assembly.sites
        self._workers = workers
        self._listening = Listening(
            assembly.app,
            self._ending,
            access_log=has_access_log,
            root_path=root_path,
            proxy_headers=bool(proxies),
            forwarded_allow_ips=list(proxies),
        )

    def serve(self, opened: socket.socket, on_start: Callable[[], None] = lambda: None) -> None:
        """Serve until a signal or `end`; then the workers have ended, too."""
        with asyncio.Runner() as runner:
            runner.run(self._serve(opened, on_start))

    def end(self) -> None:
        self._listening.end()

    async def _serve(self, opened: socket.socket, on_start: Callable[[], None]) -> None:
        stopping = asyncio.ensure_future(self._stop_workers())
        on_start()
        try:
            await self._listening.listen(opened)
        finally:
            self._ending.set()
            await stopping

    async def _stop_workers(self) -> None:
        """Stop them as soon as it ends, beside the requests that are still answered."""
        await self._ending.wait()
        await asyncio.gather(
            *(asyncio.to_thread(worker.stop) for worker in self._workers),
            *(site.runs.join(RUNS_GRACE_SECONDS) for site in self._sites),  # they stop themselves
        )


@contextmanager
def embedded_workers(assembly: Assembly, **options: Any) -> Iterator[list[Worker]]:
    """Start a worker for each store that has tasks; an application's that can't start is left out.

    `options` are a worker's, for the service's own store; an application's have only the grace.
    """
    with ExitStack() as stack:
        workers: list[Worker] = []
        for site in assembly.sites:
            if not site.registry:
                continue
            is_main = site is assembly.main
            given = options if is_main else {"grace": options.get("grace", DEFAULT_GRACE)}
            try:
                worker = Worker(site.client, site.registry, observers=site.observers, **given)
                stack.enter_context(worker)
            except Exception as error:
                if is_main:
                    raise
                fields = {"store": site.title, "error": str(error)}
                _logger.exception("worker not started", extra=fields)
                continue
            site.workers = (worker,)
            workers.append(worker)
        yield workers
