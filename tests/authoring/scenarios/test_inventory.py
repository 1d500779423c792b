"""What a folder holds is listed, and what cannot be read is refused in words."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.authoring.scenarios import inventory as module
from osler.authoring.scenarios.inventory import Attachment, inventory
from osler.authoring.scenarios.layout import LONGEST, case_id_of, slug
from osler.errors import BadInput
from tests.authoring.scenarios.source import BRIEF, write_docx, write_source


def listed(folder: Path) -> dict[str, Attachment]:
    return {found.attachment.name: found.attachment for found in inventory(folder)}


def test_every_file_has_a_modality_a_size_and_a_hash(tmp_path: Path) -> None:
    found = listed(write_source(tmp_path))
    assert {name: one.modality for name, one in found.items()} == {
        "actor notes.pdf": "text",
        "brief and course.docx": "text",
        "checklist.xlsx": "spreadsheet",
        "clinic room.png": "image",
    }
    assert all(one.bytes > 0 and len(one.hash) == 32 for one in found.values())
    assert [name for name, one in found.items() if not one.read] == ["clinic room.png"]


@pytest.mark.parametrize(
    ("name", "raw", "modality", "reason"),
    [
        ("a.png", b"x", "image", "pictures are not read"),
        ("a.mp3", b"x", "audio", "sound is not read"),
        ("a.mp4", b"x", "video", "film is not read"),
        ("a.zip", b"PK\x03\x04", "archive", "archives are not opened"),
        ("a.exe", b"MZ", "executable", "neither run nor read"),
        ("a.docm", b"PK", "executable", "neither run nor read"),
        ("a.xyz", b"x", "other", "not a kind of file"),
        ("a.doc", b"\xd0\xcf\x11\xe0", "text", "save it as .docx"),
        ("a.ppt", b"\xd0\xcf\x11\xe0", "slides", "save it as .pptx"),
        ("a.docx", b"\xd0\xcf\x11\xe0", "text", "without a password"),
        ("a.docx", b"no zip at all", "text", "is called .docx and is none"),
        ("a.xlsx", b"PK\x03\x04 damaged", "spreadsheet", "is called .xlsx and is none"),
        ("a.pdf", b"<html>", "text", "is called .pdf and is none"),
        ("a.txt", b"", "text", "is empty"),
        ("a.txt", b"x\0y", "text", "holds bytes of none"),
    ],
)
def test_what_cannot_be_read_says_why(
    tmp_path: Path, name: str, raw: bytes, modality: str, reason: str
) -> None:
    (tmp_path / name).write_bytes(raw)
    found = listed(tmp_path)[name]
    assert (found.modality, found.read) == (modality, False)
    assert reason in found.reason


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.docx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", bytes(40_000_000))
    assert "would unpack to 40 MB" in listed(tmp_path)["bomb.docx"].reason


def test_another_kind_of_archive_is_no_document(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.docx", "w") as archive:
        archive.writestr("xl/workbook.xml", "x")
    assert listed(tmp_path)["a.docx"].reason == "is called .docx and is none"


def test_pictures_inside_a_document_are_counted(tmp_path: Path) -> None:
    write_docx(tmp_path / "a.docx", BRIEF)
    with zipfile.ZipFile(tmp_path / "a.docx", "a") as archive:
        archive.writestr("word/media/image1.png", "x")
    assert listed(tmp_path)["a.docx"].pictures == 1


def test_links_and_pipes_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the diagnosis")
    folder = tmp_path / "case"
    folder.mkdir()
    (folder / "note.txt").write_text("text")
    (folder / "link.txt").symlink_to(secret)
    (folder / "out").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(folder / "pipe.txt")
    found = listed(folder)
    assert {name: one.reason[:14] for name, one in found.items() if not one.read} == {
        "link.txt": "a link is not ",
        "out": "a link is not ",
        "pipe.txt": "is no ordinary",
    }


def test_a_file_that_is_far_too_large_is_not_opened(tmp_path: Path) -> None:
    with (tmp_path / "a.txt").open("wb") as file:
        file.truncate(module.MAX_BYTES + 1)
    found = listed(tmp_path)["a.txt"]
    assert (found.read, found.hash) == (False, "")
    assert "larger than 50 MB" in found.reason


def test_no_more_is_opened_than_there_is_room_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_TOTAL", 5)
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(f"{name}234")
    assert [one.read for one in listed(tmp_path).values()] == [True, False]


def test_odd_names_are_shown_and_are_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "a\nb\x1b[2J.txt").write_text("one")
    Path(os.fsdecode(bytes(tmp_path) + b"/\xff.txt")).write_text("two")
    names = list(listed(tmp_path))
    assert all(name.isprintable() and name.encode() for name in names)
    assert len(names) == 2


def test_the_same_content_is_read_once_and_leavings_are_passed_over(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt", ".hidden.txt", "~$a.docx", "Thumbs.db"):
        (tmp_path / name).write_text("same")
    found = listed(tmp_path)
    assert set(found) == {"a.txt", "b.txt"}
    assert found["b.txt"].reason == "holds the same as a.txt"


def test_a_folder_that_holds_nothing_or_far_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadInput, match="no such folder"):
        inventory(tmp_path / "nowhere")
    with pytest.raises(BadInput, match="holds no file"):
        inventory(tmp_path)
    monkeypatch.setattr(module, "MAX_FILES", 2)
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text("x")
    with pytest.raises(BadInput, match="more than 2 files"):
        inventory(tmp_path)


@given(st.text(max_size=200))
def test_a_name_of_ours_is_always_fit_for_a_path(text: str) -> None:
    name = slug(text)
    assert name
    assert len(name) <= LONGEST + 2
    assert all(c.isascii() and (c.isalnum() or c == "-") for c in name)
    assert name == name.lower()
    assert name.split("-")[0] not in {"con", "nul", "aux", "prn"}


@pytest.mark.parametrize("given_id", ["../x", "a/b", "", ".x", "a..b", "a b", "x" * 101])
def test_an_id_that_leads_elsewhere_is_refused(given_id: str) -> None:
    with pytest.raises(BadInput, match="cannot be a case's id"):
        case_id_of(given_id, "folder")
    assert case_id_of("mep_2374-8265.11575-s001", "folder") == "mep_2374-8265.11575-s001"
    assert case_id_of(None, "Case: 3 / Fieber!") == "case-3-fieber"
