"""Folders: where links are kept. A folder is its whole path."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from leasehold.kit.web import Changer, Command, Document, IdText, Person, Reader, not_found
from leasehold_links import arranging, editing
from leasehold_links.data import browsing
from leasehold_links.web.api.values import IdPath, Tag
from leasehold_links.web.library import Library, OfLibrary
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


class FolderChange(Command):
    """What is to be otherwise; what is left out stays."""

    name: Tag | None = None
    parent_id: IdText | None = Field(default=None, description="The folder to put it into.")


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
    return _place_of(library, person, folder_id)


@router.patch("/{folder_id}", response_model=Place, responses=PROBLEMS.responses(404, 409))
def move_folder(
    folder_id: IdPath, asked: FolderChange, person: Changer, library: OfLibrary
) -> dict[str, Any]:
    """Rename a folder, or put it into another one, with the folders and links in it."""
    change = arranging.Change(name=asked.name, parent_id=asked.parent_id)
    arranging.move_folder(library.database, person.user_id, folder_id, change)
    return _place_of(library, person, folder_id)


@router.delete("/{folder_id}", status_code=204, responses=PROBLEMS.responses(404))
def delete_folder(folder_id: IdPath, person: Changer, library: OfLibrary) -> None:
    """Delete a folder with the folders and links in it."""
    editing.delete_folder(library.database, person.user_id, folder_id)


def _place_of(library: Library, person: Person, folder_id: UUID) -> dict[str, Any]:
    row = library.read(browsing.folder_of, person.user_id, folder_id)
    if row is None:
        raise not_found("folder")
    return row
