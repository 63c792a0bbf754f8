"""`python -m leasehold_sync.servers stripe --rows customers=1000 --port 12111`."""

from __future__ import annotations

import argparse

from leasehold.kit.servers.main import add_options, serve
from leasehold_sync.servers import SERVERS
from leasehold_sync.servers.rows import SPACING_SECONDS


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m leasehold_sync.servers",
        description="Serve an API on this machine, with made-up rows. Ctrl-C ends it.",
    )
    parser.add_argument("name", choices=sorted(SERVERS))
    parser.add_argument("--rows", nargs="+", default=[], metavar="COLLECTION=COUNT")
    parser.add_argument("--key", help="the credential that it accepts")
    parser.add_argument("--spacing", type=int, default=SPACING_SECONDS, metavar="SECONDS")
    add_options(parser)
    return parser


def main() -> None:
    said = _parser().parse_args()
    rows = {name: int(count) for name, _, count in (row.partition("=") for row in said.rows)}
    server = SERVERS[said.name](rows=rows, spacing=said.spacing, port=said.port, key=said.key)
    serve(server, said, {"key": server.key})


if __name__ == "__main__":
    main()
