"""The demo's drives: a Dropbox, a OneDrive and a Google Drive, all on this machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import msgspec

from leasehold_documents import importing
from leasehold_documents.access import Access
from leasehold_documents.demo import files
from leasehold_documents.providers import Tokens
from leasehold_documents.servers import SERVERS, FileServer
from leasehold_documents.servers.accounts import CLIENT_ID, CLIENT_SECRET
from leasehold_documents.settings import lending, settings

CONNECTED = "dropbox"  # the others are there to be connected by a click
FOLDER = "/Lieferanten"
_BACK = "http://127.0.0.1/"  # nobody comes back: the demo consents by itself


def _bill(dairy: str, number: int, cents: int) -> bytes:
    amount = f"{cents / 100:.2f} €".replace(".", ",")
    return files.pdf(
        (
            f"Rechnung {number}",
            f"{dairy}, Steuernummer 21/815/08150",
            f"Rechnungsbetrag {amount}, zahlbar innerhalb von 14 Tagen, Umsatzsteuer 7 %",
        )
    )


FILES: dict[str, dict[str, Callable[[], bytes]]] = {
    "dropbox": {
        f"{FOLDER}/Rechnung Molkerei.pdf": lambda: _bill("Molkerei Weide", 4711, 23_480),
        f"{FOLDER}/Rechnung Mühle.pdf": lambda: _bill("Mühle Krüger", 118, 81_200),
        "/Rezepte/Roggenbrot.txt": "Sauerteig über Nacht ruhen lassen.".encode,
    },
    "onedrive": {
        "/Verträge/Pachtvertrag Laden.docx": lambda: files.word(
            "Pachtvertrag", "Der Pächter übernimmt den Laden in der Marktgasse 3."
        ),
    },
    "gdrive": {
        "/Dienstplan.xlsx": lambda: files.excel(("Montag", "Lea"), ("Dienstag", "Jonas")),
    },
}


class Drives:
    """Local servers from `open` to `close`, for drives that the operator has not set up."""

    def __init__(self) -> None:
        self.servers: dict[str, FileServer] = {}
        self._lent = ExitStack()

    def open(self) -> None:
        """Take the ports, fill the drives, and let them be the ones that are set up."""
        known = settings()
        said: dict[str, str] = {}
        for name, contents in FILES.items():
            if getattr(known, f"{name}_id"):
                continue
            server = self.servers[name] = SERVERS[name]()
            for path, make in contents.items():
                server.put(path, make())
            own = {"id": CLIENT_ID, "secret": CLIENT_SECRET, "url": server.url}
            said |= {f"{name}_{field}": value for field, value in own.items()}
        self._lent.enter_context(lending(msgspec.structs.replace(known, **said)))

    def start(self) -> None:
        for server in self.servers.values():
            server.start()

    def close(self) -> None:
        """Safe twice."""
        self._lent.close()
        for server in self.servers.values():
            server.stop()

    def connect(self, access: Access) -> dict[str, Any] | None:
        """Connect one, as somebody would by a click, also after a restart; None: without keys."""
        if CONNECTED not in self.servers or not access.client.encryption.keys():
            return None
        mine = [row for row in importing.find(access) if row["provider"] == CONNECTED]
        if mine:
            connector_id = mine[0]["id"]
        else:
            connector_id = importing.connect(access, CONNECTED, redirect_uri=_BACK).connector_id
        return importing.keep_tokens(access, connector_id, _tokens(self.servers[CONNECTED]))


def _tokens(server: FileServer) -> Tokens:
    given = server.grant()
    return Tokens(
        access_token=given["access_token"],
        refresh_token=given["refresh_token"],
        expires_at=time.time() + given["expires_in"],
    )
