"""Files are written whole or not at all, and none that is there is lost."""

from __future__ import annotations

import os
import threading
from hashlib import blake2b
from pathlib import Path

import pytest

from osler.errors import BadInput
from osler.files import feed, whole_file, write_folder, write_once, write_whole


def test_a_file_is_replaced_only_by_a_whole_one(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("before")
    with pytest.raises(RuntimeError), whole_file(path) as partial:  # noqa: PT012
        partial.write_text("half")
        raise RuntimeError
    assert path.read_text() == "before"
    with whole_file(path) as partial:
        partial.write_text("after")
        assert path.read_text() == "before"
    assert [one.name for one in tmp_path.iterdir()] == ["out.txt"]
    assert path.read_text() == "after"


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    with whole_file(pipe) as partial:
        partial.write_text("through")
    reader.join()
    assert read == ["through"]
    assert pipe.is_fifo()


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("real.txt")
    write_whole(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "text"


def test_a_text_is_written_with_its_folders_and_its_line_ends(tmp_path: Path) -> None:
    write_whole(tmp_path / "a" / "b" / "c.txt", "one\r\ntwo\n")
    assert (tmp_path / "a" / "b" / "c.txt").read_bytes() == b"one\r\ntwo\n"
    with pytest.raises(BadInput, match="cannot be written"):
        write_whole(tmp_path / "a" / "b" / "c.txt" / "below.txt", "text")


def test_another_file_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "once.txt"
    for _ in range(2):
        assert write_once(path, "mine", lambda there: there.read_text() == "mine") == path
    with pytest.raises(BadInput, match="a different file is already there"):
        write_once(path, "yours", lambda there: there.read_text() == "yours")
    assert path.read_text() == "mine"


def test_a_folder_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    for _ in range(2):
        write_folder(folder, {"a.txt": "one", "b.txt": "two"})
    with pytest.raises(BadInput, match="other contents"):
        write_folder(folder, {"a.txt": "three"})
    assert {path.name: path.read_text() for path in folder.iterdir()} == {"a.txt": "one", "b.txt": "two"}
    with pytest.raises(BadInput, match="cannot be written"):
        write_folder(tmp_path / "other", {"no/such": "text"})
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_a_folder_that_cannot_be_searched_is_said_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(path: Path) -> bool:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "exists", denied)
    with pytest.raises(BadInput, match="cannot be written: Permission denied"):
        write_whole(tmp_path / "a.txt", "x")


def test_a_file_fed_twice_to_a_hash_counts_twice(tmp_path: Path) -> None:
    file = tmp_path / "said.txt"
    file.write_bytes(b"one")
    digest = blake2b()
    for _ in range(2):
        feed(digest, file)
    assert digest.digest() == blake2b(b"oneone").digest()
