"""Schemathesis against the library's API: `python -m tests.links.fuzzing [URL] [--examples 40]`."""

from __future__ import annotations

from contextlib import closing

from sqlalchemy import select

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_links.data.tables import folder, import_, link
from leasehold_links.demo.file import FILE_NAME, demo_file
from leasehold_links.tasks import import_file
from leasehold_links.uploading import start_import
from leasehold_links.web import application
from tests.web.fuzzing import Fuzzed, fuzz_service, fuzzing_command

APPLICATION = ("--app", "leasehold_links.web:application")
USER = "fuzzer"  # the library of the token of this name


def prepare(url: str) -> tuple[str, dict[str, list[str]]]:
    """Import a file; returns a token, and names what is there by path parameters."""
    migrate = application().migrate
    assert migrate is not None
    with lh.Client(url) as client, closing(Database(url)) as database:
        client.store.migrate()
        migrate(client)
        start_import(client, database, USER, FILE_NAME, [demo_file()])
        lh.Worker(client, [import_file]).run(until_empty=True)
        secret = client.tokens.add(USER, scope="admin").secret
        with database.read() as connection:
            ids = {
                table.name: [str(each) for each in connection.scalars(select(table.c.id))]
                for table in (import_, folder, link)
            }
    domains = ["shelf.example", "jang.example", "fortress.example"]
    return secret, {
        "import_id": ids[import_.name],
        "folder_id": ids[folder.name],
        "link_id": ids[link.name],
        "domain": domains,
    }


def fuzz(url: str, *, examples: int) -> Fuzzed:
    """Serve the library, without a worker so that nothing is fetched, and fuzz its API."""
    secret, known = prepare(url)
    words = (*APPLICATION, "--no-worker", "--no-needs-worker")
    return fuzz_service(
        url,
        secret,
        known,
        *words,
        examples=examples,
        document="/links/api/openapi.json",
        # A folder that is deleted in between takes its links with it.
        leave_out=("ensure_resource_availability",),
    )


if __name__ == "__main__":
    fuzzing_command(fuzz)()
