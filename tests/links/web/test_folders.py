"""Folders that are renamed or moved: with all that is in them, and never onto another one."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import msgspec

from leasehold_links import arranging, editing
from leasehold_links.arranging import Change
from leasehold_links.errors import FolderMoved
from tests.links.jobs.kit import rows

if TYPE_CHECKING:
    import leasehold as lh
    from leasehold.kit.data import Database
    from tests.links.web.kit import Asker


def make(asker: Asker, *names: str, root: str = "menu") -> str:
    made = asker.post("/api/folders", {"root": root, "names": list(names)}, status=201)
    return str(made["id"])


def paths(asker: Asker) -> dict[tuple[str, ...], str]:
    folders = asker.get("/api/folders")["folders"]
    return {(each["root"], *each["names"]): each["id"] for each in folders}


def are_paths_whole(database: Database) -> bool:
    """Whether each folder's path is that of the folder above it, and its own name."""
    found = rows(database, "SELECT id, parent_id, root, path, name FROM links_folder")
    by_id = {row[0]: row for row in found}
    return all(
        msgspec.json.decode(path) == [*msgspec.json.decode(by_id[parent][3]), name]
        and root == by_id[parent][2]
        for _, parent, root, path, name in found
        if parent is not None
    )


def test_a_renamed_folder_keeps_all_that_is_in_it(asker: Asker, database: Database) -> None:
    news, daily = make(asker, "News"), make(asker, "News", "Daily")
    asker.post("/api/links", {"url": "https://a.com/", "folder_id": daily}, status=201)
    told = asker.ask("PATCH", f"/api/folders/{news}", json={"name": " Old  news "}).json()
    assert (told["root"], told["names"]) == ("menu", ["Old news"])
    assert paths(asker).keys() == {
        ("menu",),
        ("menu", "Old news"),
        ("menu", "Old news", "Daily"),
    }
    assert paths(asker)["menu", "Old news", "Daily"] == daily
    (link,) = asker.get("/api/links", params={"folder_id": daily})["links"]
    assert link["url"] == "https://a.com/"
    assert are_paths_whole(database)


def test_a_folder_is_moved_into_another_one_also_of_another_root(
    asker: Asker, database: Database
) -> None:
    daily, bar = make(asker, "News", "Daily"), make(asker, "Bar", root="toolbar")
    make(asker, "News", "Daily", "Today")
    asker.ask("PATCH", f"/api/folders/{daily}", json={"parent_id": bar, "name": "D"})
    assert ("toolbar", "Bar", "D", "Today") in paths(asker)
    assert ("menu", "News", "Daily") not in paths(asker)
    assert are_paths_whole(database)


def test_a_file_that_names_the_new_path_finds_the_folder(asker: Asker) -> None:
    renamed = make(asker, "Old")
    asker.ask("PATCH", f"/api/folders/{renamed}", json={"name": "New"})
    asker.import_now(b'<DL><DT><H3>New</H3><DL><DT><A HREF="https://a.com/">x</A></DL></DL>')
    (link,) = asker.get("/api/links")["links"]
    assert link["folder_id"] == renamed


def test_a_path_is_one_folder(asker: Asker) -> None:
    make(asker, "A")
    other = make(asker, "B")
    told = asker.refused(409, "PATCH", f"/api/folders/{other}", json={"name": "A"})
    assert told["type"].endswith("folder-there")
    assert ("menu", "B") in paths(asker)


def test_what_can_not_be_moved_is_refused_and_says_why(asker: Asker) -> None:
    above, below = make(asker, "A"), make(asker, "A", "B")
    deep = make(asker, *"0123456789" * 5)
    menu = paths(asker)["menu",]
    for folder, change, reason in [
        (menu, {"name": "x"}, "root"),
        (above, {"parent_id": above}, "inside"),
        (above, {"parent_id": below}, "inside"),
        (above, {"parent_id": deep}, "deep"),
        (above, {"name": "\u200b"}, "name"),
    ]:
        told = asker.refused(422, "PATCH", f"/api/folders/{folder}", json=change)
        assert told["about"]["reason"] == reason
    asker.refused(404, "PATCH", f"/api/folders/{above}", json={"parent_id": str(uuid4())})
    asker.refused(422, "PATCH", f"/api/folders/{above}", json={"name": ""})
    assert ("menu", "A", "B") in paths(asker)


def test_nothing_changes_where_nothing_is_said(asker: Asker) -> None:
    folder = make(asker, "A")
    before = paths(asker)
    assert asker.ask("PATCH", f"/api/folders/{folder}", json={}).status_code == 200
    assert asker.ask("PATCH", f"/api/folders/{folder}", json={"name": "A"}).status_code == 200
    assert paths(asker) == before


def test_a_page_has_a_form_to_rename_and_move_a_folder(asker: Asker) -> None:
    below, other = make(asker, "A", "B"), make(asker, "C")
    page = asker.page("/", params={"folder": below})
    assert f'action="/links/folder/{below}"' in page
    assert "Rename or move" not in asker.page("/")
    answer = asker.send(f"/folder/{below}", {"name": "D", "parent": other})
    assert answer.status_code == 303
    assert answer.headers["location"] == f"/links/?said=moved&folder={below}"
    assert ("menu", "C", "D") in paths(asker)
    shown = asker.page(answer.headers["location"].removeprefix("/links"))
    assert "The folder was moved." in shown
    assert asker.send(f"/folder/{below}", {"name": "", "parent": ""}).status_code == 422


def test_a_folder_that_is_made_while_one_above_is_renamed_stands_where_it_says(
    client: lh.Client, database: Database
) -> None:
    above = editing.add_folder(client, database, "ada", "menu", ["A"])
    done: list[Any] = []

    def add() -> None:
        with suppress(FolderMoved):
            done.append(editing.add_folder(client, database, "ada", "menu", ["A", "B"]))
        done.append(None)

    adding = threading.Thread(target=add)
    with database.write() as connection:
        folders = arranging.lock_folders(connection, "ada")
        arranging.move(connection, folders, UUID(str(above)), Change(name="Z"))
        adding.start()
        if not database.is_sqlite:
            wait_for_lock(database)
    adding.join()
    assert done
    assert are_paths_whole(database)


def wait_for_lock(database: Database) -> None:
    """Wait until somebody waits for a lock in this database."""
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    while not rows(database, waiting)[0][0]:
        pass
