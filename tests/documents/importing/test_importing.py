"""An import copies each file once: through pages, over names, and again later."""

from __future__ import annotations

from leasehold_documents import importing
from leasehold_documents.servers.dropbox import PAPER
from leasehold_documents.servers.gdrive import DOCUMENT, FORM
from leasehold_documents.servers.onedrive import NOTEBOOK
from tests.documents.importing.kit import PAGES, Cloud, fill


def test_all_files_of_all_pages_and_folders_come_in_once(cloud: Cloud) -> None:
    names = fill(cloud.server, 12)
    cloud.server.put("/Verträge/Alt/Größe.txt", "Größe 42".encode())
    cloud.server.put("/Anderswo/Rechnung.txt", b"Rechnung")
    result = cloud.run()
    assert cloud.names() == sorted([*names, "Größe.txt", "Rechnung.txt"])
    assert result["imported_count"] == 14
    assert set(result["document_ids"]) == {str(row["id"]) for row in cloud.documents()}
    assert cloud.content("Größe.txt") == "Größe 42".encode()
    assert cloud.downloads() == 14
    rows = cloud.documents()
    assert {(row["source"], row["connector_id"]) for row in rows} == {
        (cloud.name, cloud.connector_id)
    }


def test_only_what_is_below_the_folder_comes_in(cloud: Cloud) -> None:
    names = fill(cloud.server, 7, "/Verträge/Wohnungen")
    fill(cloud.server, 6, "/Privat")
    cloud.server.put("/Verträge/Wohnungen/Alt/Keller.txt", b"Keller")
    cloud.run("/Verträge/Wohnungen")
    assert cloud.names() == sorted([*names, "Keller.txt"])


def test_only_the_files_that_were_named_come_in(cloud: Cloud) -> None:
    fill(cloud.server, 30)
    ids = {path: identifier for identifier, path in cloud.server.ids().items()}
    by_id = ids["/Verträge/Vertrag 017.txt"]
    job_id = cloud.start("/", (by_id, "/Verträge/Vertrag 003.txt", "/Nirgends.txt"))
    cloud.work()
    assert cloud.names() == ["Vertrag 003.txt", "Vertrag 017.txt"]
    assert cloud.outcomes(job_id)["/Nirgends.txt"] == ("refused", "REMOTE_NOT_FOUND")
    if cloud.name != "gdrive":  # which has no paths, so that they are walked down
        assert cloud.server.count(f"POST {PAGES[cloud.name]}") == 0
        assert cloud.server.count(f"GET {PAGES[cloud.name]}") == 0


def test_a_second_import_fetches_only_what_is_new_or_changed(cloud: Cloud) -> None:
    fill(cloud.server, 8)
    cloud.run()
    before = cloud.downloads()
    cloud.server.put("/Verträge/Neu.txt", b"neu")
    cloud.server.put("/Verträge/Vertrag 002.txt", b"Mietvertrag, neu gefasst")
    result = cloud.run()
    assert result["imported_count"] == 2
    assert cloud.downloads() == before + 2
    assert cloud.names().count("Vertrag 002.txt") == 2  # copies: the old one stays


def test_a_file_that_was_renamed_or_moved_is_the_same_one(cloud: Cloud) -> None:
    fill(cloud.server, 6)
    cloud.run()
    first, second, *_ = cloud.server.ids()
    cloud.server.rename(first, "Ganz anders.txt")
    cloud.server.move(second, "/Archiv")
    before = cloud.downloads()
    result = cloud.run()
    assert result == {"imported_count": 0, "document_ids": []}
    assert cloud.downloads() == before
    assert len(cloud.documents()) == 6


def test_a_file_that_was_renamed_while_it_was_listed_has_its_last_name(cloud: Cloud) -> None:
    fill(cloud.server, 12)
    (first, *_) = cloud.server.ids()
    asked: list[str] = []

    def rename_at_the_second_page(request: object) -> None:
        if getattr(request, "path", "").startswith(PAGES[cloud.name]):
            asked.append("page")
            if len(asked) == 3 and cloud.name != "gdrive":
                cloud.server.on_request = None
                cloud.server.rename(first, "Umbenannt.txt")

    cloud.server.on_request = rename_at_the_second_page
    cloud.run()
    assert len(cloud.documents()) == 12
    if cloud.name != "gdrive":  # a folder's list shows nothing twice
        assert "Umbenannt.txt" in cloud.names()


def test_files_with_equal_content_or_equal_names_stay_apart(cloud: Cloud) -> None:
    cloud.server.put("/A/Rechnung.txt", b"Rechnung eins")
    cloud.server.put("/B/Rechnung.txt", b"Rechnung eins")
    cloud.server.put("/C/Rechnung.txt", b"Rechnung zwei")
    if cloud.name == "gdrive":
        cloud.server.add("/C/Rechnung.txt", b"Rechnung drei")
    count = 4 if cloud.name == "gdrive" else 3
    assert cloud.run()["imported_count"] == count
    rows = cloud.documents()
    assert [row["name"] for row in rows] == ["Rechnung.txt"] * count
    assert len({row["file_path"] for row in rows}) == count
    assert sum(row["duplicate_of"] is not None for row in rows) == 1


def test_names_are_text_whatever_is_in_them(cloud: Cloud) -> None:
    names = ["Zeile\u2028zwei\u202egnp.txt", "x" * 200 + ".txt", "🏠 „Haus“ \x7f 100 %.txt"]
    for name in names:
        cloud.server.put(f"/Böse/{name}", name.encode())
    cloud.run("/Böse")
    assert cloud.names() == sorted(names)
    assert all(cloud.content(name) == name.encode() for name in names)
    assert all(row["file_path"].isascii() for row in cloud.documents())


def test_papers_of_the_clouds_own_are_exported_and_what_has_no_content_is_refused(
    cloud: Cloud,
) -> None:
    match cloud.name:
        case "dropbox":
            cloud.server.put("/Plan.paper", b"<p>Plan</p>", kind=PAPER)
            wanted, refused = {"Plan.html": b"<p>Plan</p>"}, set()
        case "onedrive":
            cloud.server.put("/Notizbuch", b"", kind=NOTEBOOK)
            wanted, refused = {}, {"Notizbuch"}
        case _:
            cloud.server.put("/Protokoll", b"Protokoll", kind=DOCUMENT)
            cloud.server.put("/Umfrage", b"", kind=FORM)
            wanted, refused = {"Protokoll.docx": b"Protokoll"}, {"Umfrage"}
    job_id = cloud.start()
    cloud.work()
    assert {name: cloud.content(name) for name in cloud.names()} == wanted
    outcomes = cloud.outcomes(job_id)
    assert {name for name, (state, _) in outcomes.items() if state == "refused"} == refused
    assert all(outcomes[name][1] == "REMOTE_NOT_DOWNLOADABLE" for name in refused)


def test_browsing_shows_one_folder_page_by_page(cloud: Cloud) -> None:
    names = fill(cloud.server, 8)
    assert cloud.connector_id is not None
    root = importing.browse(cloud.office.access, cloud.connector_id)
    (folder,) = root["entries"]
    assert (folder["name"], folder["kind"]) == ("Verträge", "folder")
    place = {"folder_id": folder["id"]}
    page = importing.browse(cloud.office.access, cloud.connector_id, **place)
    found = list(page["entries"])
    while page["cursor"]:
        page = importing.browse(
            cloud.office.access, cloud.connector_id, **place, cursor=page["cursor"]
        )
        found += page["entries"]
    assert sorted(each["name"] for each in found) == names
    chosen = tuple(each["id"] for each in found[:2])
    assert cloud.run("/", chosen)["imported_count"] == 2
