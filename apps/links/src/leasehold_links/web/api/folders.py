"""Folders: where links are kept. A folder is its whole path."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from leasehold.kit.web import Changer, Reader, not_found
from leasehold_links import editing
from leasehold_links.data import browsing
from leasehold_links.web.api.values import Command, Document, IdPath, Tag
from leasehold_links.web.library import OfLibrary
from leasehold_links.web.problems import PROBLEMS

router = APIRouter(prefix="/api/folders", tags=["folders"])
Root = Literal["menu", "toolbar", "unfiled"]


class Place(Document):
    """Where a link is."""

    id: UUID
    root: Root
    names: list[str] = Field(description="From the root down.", examples=[["News", "Daily"]])


class Folder(Place):
    """A folder. Those below it name it as their parent."""

    parent_id: UUID | None
    links: int = Field(description="In it, not in those below it.")


class FolderList(Document):
    """All folders, those above before those below."""

    folders: list[Folder]


class FolderRequest(Command):
    """A folder to make, with those above it."""

    root: Root = "menu"
    names: Annotated[list[Tag], Field(max_length=50)] = Field(examples=[["News", "Daily"]])


@router.get("", responses=PROBLEMS.responses())
def list_folders(person: Reader, library: OfLibrary) -> FolderList:
    """List your folders with how many links are in each."""
    rows = library.read(browsing.folders_of, person.user_id)
    return FolderList.model_validate({"folders": rows})


@router.post("", status_code=201, response_model=Place, responses=PROBLEMS.responses())
def create_folder(asked: FolderRequest, person: Changer, library: OfLibrary) -> dict[str, Any]:
    """Make a folder; one that is there already stays as it is."""
    folder_id = editing.add_folder(
        library.client, library.database, person.user_id, asked.root, asked.names
    )
    row = library.read(browsing.folder_of, person.user_id, folder_id)
    if row is None:
        raise not_found("folder")
    return row


@router.delete("/{folder_id}", status_code=204, responses=PROBLEMS.responses(404))
def delete_folder(folder_id: IdPath, person: Changer, library: OfLibrary) -> None:
    """Delete a folder with the folders and links in it."""
    editing.delete_folder(library.database, person.user_id, folder_id)
