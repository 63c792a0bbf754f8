"""What plugs into the service: API and pages, with a companion of their own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from leasehold.web import Application
from leasehold_memory.companion import Companion
from leasehold_memory.settings import home_folder
from leasehold_memory.web.app import make_app

if TYPE_CHECKING:
    from fastapi import FastAPI

    import leasehold as lh

NAME = "memory"


def application(home: Path | None = None) -> Application:
    """Make the application; its jobs live in files of its home, worked at by its own worker.

    Who may come in is the service's to say.
    """

    def make(_client: lh.Client) -> FastAPI:
        return make_app(Companion(home or home_folder()))

    return Application(name=NAME, title="Memory", make_app=make)
