"""`python -m leasehold_memory.servers model --port 8090`."""

from __future__ import annotations

import argparse

from leasehold.kit.servers.main import add_options, serve
from leasehold_memory.servers.server import DIMENSION, MODEL, ModelServer


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m leasehold_memory.servers",
        description="Serve a small model by rules on this machine. Ctrl-C ends it.",
    )
    parser.add_argument("name", choices=[ModelServer.name])
    parser.add_argument("--key", default="", help="the key that it wants; without it, none")
    parser.add_argument("--dimension", type=int, default=DIMENSION, help="of its embeddings")
    parser.add_argument("--pause", type=float, default=0.0, metavar="SECONDS", help="between words")
    add_options(parser)
    return parser


def main() -> None:
    said = _parser().parse_args()
    server = ModelServer(port=said.port, key=said.key, dimension=said.dimension, pause=said.pause)
    serve(server, said, {"base_url": server.base_url, "model": MODEL})


if __name__ == "__main__":
    main()
