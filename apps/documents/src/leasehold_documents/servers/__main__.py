"""`python -m leasehold_documents.servers dropbox --port 8091 --folder ~/papers`."""

from __future__ import annotations

import argparse
from pathlib import Path

from leasehold.kit.servers.main import add_options, serve
from leasehold_documents.servers import SERVERS
from leasehold_documents.servers.accounts import CLIENT_ID, CLIENT_SECRET


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m leasehold_documents.servers",
        description="Serve a cloud's files on this machine. Ctrl-C ends it.",
    )
    parser.add_argument("name", choices=sorted(SERVERS))
    parser.add_argument("--folder", type=Path, help="whose files it shows, read at the start")
    parser.add_argument("--page", type=int, help="how many files one page shows")
    add_options(parser)
    return parser


def main() -> None:
    said = _parser().parse_args()
    server = SERVERS[said.name](port=said.port, page_size=said.page)
    if said.folder is not None:
        for file in sorted(each for each in said.folder.rglob("*") if each.is_file()):
            server.put(f"/{file.relative_to(said.folder).as_posix()}", file.read_bytes())
    serve(server, said, {"client_id": CLIENT_ID, "client_secret": CLIENT_SECRET})


if __name__ == "__main__":
    main()
