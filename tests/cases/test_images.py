"""Image files of cases: attached under neutral names, by the bytes, or refused by name."""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path

import pytest
from typer.testing import CliRunner

from osler.cases.importers import Images, Rejected, import_file, write_case
from osler.cases.importers.report import Tally
from osler.cases.model import Case
from osler.cases.pictures import images_of, pictures_of, unseen
from osler.cases.sources import open_source
from osler.cli.main import app
from osler.core.pictures import ImageFile
from osler.errors import BadInput
from osler.pictures import draw
from tests.cases.pictured import NEJM, mm_record, write_mm, write_nejm
from tests.pictures.images import SECRET, png


def read(path: Path, images: Images) -> tuple[list[Case], list[str]]:
    """The cases of a file, and the reasons of those refused."""
    found = list(import_file(path, images=images))
    cases = [one for one in found if isinstance(one, Case)]
    return cases, [one.reason for one in found if isinstance(one, Rejected)]


def test_every_nejm_case_shows_its_file_without_metadata_or_name(tmp_path: Path) -> None:
    records, folder = write_nejm(tmp_path)
    cases, refused = read(records, Images(folder))
    assert (len(cases), refused) == (NEJM, [])
    for case in cases:
        (picture,) = pictures_of(case).values()
        assert isinstance(picture, ImageFile)
        raw = draw(picture)
        assert sha256(raw).hexdigest() == picture.sha256
        assert SECRET.encode() not in raw
        told = case.model_dump_json()
        assert "tell-tale" not in told
        assert "pictures.invalid" not in told
        assert picture.sha256 in told
        assert case.findings[-1].name == "Image 1"
        assert not unseen(case)
    assert len({case.content_hash for case in cases}) == NEJM


def test_another_picture_makes_another_case(tmp_path: Path) -> None:
    records, folder = write_nejm(tmp_path)
    before, _ = read(records, Images(folder))
    (folder / "tell-tale-00.png").write_bytes(png(99))
    after, _ = read(records, Images(folder))
    assert before[0].content_hash != after[0].content_hash
    assert before[1].content_hash == after[1].content_hash


def test_one_file_is_one_image_under_one_name_everywhere(tmp_path: Path) -> None:
    records, folder = write_mm(tmp_path)
    (case, _), refused = read(records, Images(folder))
    assert refused == []
    assert list(images_of(case)) == ["image-1", "image-2"]
    first, second = images_of(case).values()
    assert first.result == "A radiograph is shown in Figure A.", "the words of the prose belong to its image"
    assert "Image 1" in first.aliases
    assert "Image 2" in second.aliases
    assert case.teaching is not None
    assert [step.image for step in case.teaching.steps] == [None, first.id]
    assert "(Image 1)" in case.teaching.steps[1].key_question
    assert "XM-700-" not in case.model_dump_json()


def test_a_file_that_is_listed_twice_is_shown_once(tmp_path: Path) -> None:
    records, folder = write_mm(tmp_path, 1)
    record = mm_record(0)
    record["images"] = [*record["images"], record["images"][0], "copy.jpeg"]
    (folder / "copy.jpeg").write_bytes((folder / record["images"][0]).read_bytes())
    records.write_text(json.dumps([record]))
    (case,), _ = read(records, Images(folder))
    assert len(pictures_of(case)) == 2


def test_a_case_whose_file_is_missing_is_refused_by_name_and_the_others_are_imported(tmp_path: Path) -> None:
    records, folder = write_nejm(tmp_path, left_out=(3, 7))
    cases, refused = read(records, Images(folder))
    assert len(cases) == NEJM - 2
    assert len(refused) == 2
    assert "tell-tale-03.webp" in refused[0]
    assert "--without-images" in refused[0]


def test_without_images_it_is_imported_and_marked(tmp_path: Path) -> None:
    records, folder = write_nejm(tmp_path, left_out=(3, 7))
    tally = Tally()
    cases = list(tally.watch(import_file(records, images=Images(folder, without=True))))
    assert [bool(unseen(case)) for case in cases] == [number in (3, 7) for number in range(NEJM)]
    report = tally.report()
    assert (report.imported, report.unseen, tally.images) == (NEJM, 2, NEJM - 2)
    assert {reason.kind for reason in report.reasons if "images are missing" in reason.reason} == {"unseen"}
    bare = cases[3].findings[-1]
    assert (bare.picture, bare.result) == (None, "This image is not at hand.")


def test_without_a_folder_no_case_that_needs_one_is_taken_silently(tmp_path: Path) -> None:
    records, _ = write_nejm(tmp_path)
    cases, refused = read(records, Images())
    assert (cases, len(refused)) == ([], NEJM)
    assert "--images" in refused[0]


@pytest.mark.parametrize(
    "name", ["../../secret.png", "/etc/secret.png", "a\\..\\..\\secret.png", "C:/secret.png", "x\0.png"]
)
def test_a_name_that_leads_out_of_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.png").write_bytes(png(1))
    records, folder = write_mm(tmp_path / "in", 1)
    record = {**mm_record(0), "images": [name]}
    records.write_text(json.dumps([record]))
    cases, refused = read(records, Images(folder))
    assert cases == []
    assert "out of the folder" in refused[0]


def test_a_link_out_of_the_folder_is_not_read(tmp_path: Path) -> None:
    records, folder = write_mm(tmp_path, 1)
    target = tmp_path / "secret.png"
    target.write_bytes(png(1))
    (folder / "XM-700-b.png").unlink()
    os.symlink(target, folder / "XM-700-b.png")
    cases, refused = read(records, Images(folder))
    assert cases == []
    assert "XM-700-b.png" in refused[0]


def test_what_only_calls_itself_an_image_refuses_its_case_in_words(tmp_path: Path) -> None:
    records, folder = write_mm(tmp_path)
    (folder / "XM-700-b.png").write_bytes(b"<svg onload=alert(1)>")
    cases, refused = read(records, Images(folder))
    assert len(cases) == 1
    assert "XM-700-b.png" in refused[0]
    assert "SVG or HTML" in refused[0]


def test_two_files_of_one_name_are_not_guessed_between(tmp_path: Path) -> None:
    records, folder = write_mm(tmp_path, 1)
    (folder / "other").mkdir()
    (folder / "other" / "xm-700-B.PNG").write_bytes(png(5))
    _, refused = read(records, Images(folder))
    assert "several files" in refused[0]


def test_an_imported_case_carries_its_pictures_with_it(tmp_path: Path) -> None:
    records, folder = write_mm(tmp_path)
    (case, _), _ = read(records, Images(folder))
    out = tmp_path / "out"
    write_case(case, out)
    assert write_case(case, out).is_file(), "writing it again changes nothing"
    kept = sorted(path.name for path in (out / "pictures").iterdir())
    assert kept == sorted(p.name for p in pictures_of(case).values() if isinstance(p, ImageFile))
    (again,) = open_source(str(out))
    assert again == case
    (out / "pictures" / kept[0]).unlink()
    source = open_source(str(out))
    assert list(source) == []
    assert source.report is not None
    assert kept[0] in source.report.reasons[0].reason
    (bare,) = open_source(str(out), images=Images(without=True))
    assert unseen(bare)
    (shown,) = open_source(str(out), images=Images(out / "pictures", without=True))
    assert unseen(shown)


def test_a_kept_file_that_was_changed_is_not_taken_for_the_one_named(tmp_path: Path) -> None:
    records, folder = write_mm(tmp_path, 1)
    (case,), _ = read(records, Images(folder))
    write_case(case, tmp_path / "out")
    changed = next((tmp_path / "out" / "pictures").glob("*.png"))
    changed.write_bytes(png(77))
    assert list(open_source(str(tmp_path / "out"))) == []


def test_a_folder_that_is_not_there_is_said_at_once(tmp_path: Path) -> None:
    records, _ = write_mm(tmp_path)
    with pytest.raises(BadInput, match="no such folder of images"):
        Images(tmp_path / "nowhere").check()
    done = CliRunner().invoke(
        app, ["cases", "import", str(records), "--out", "x", "--images", str(tmp_path / "nowhere")]
    )
    assert done.exit_code == 1
    assert "no such folder" in done.stderr


def test_the_import_says_how_many_images_it_attached(tmp_path: Path) -> None:
    records, folder = write_nejm(tmp_path, left_out=(2,))
    words = [
        "cases",
        "import",
        str(records),
        "--out",
        str(tmp_path / "out"),
        "--images",
        str(folder),
        "--json",
    ]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    value = json.loads(done.stdout)
    assert (value["imported"], value["rejected"]) == (NEJM - 1, 1)
    assert value["images"] == {"attached": NEJM - 1, "missing": 1}
    done = CliRunner().invoke(app, [*words, "--without-images"], catch_exceptions=False)
    value = json.loads(done.stdout)
    assert (value["imported"], value["unseen"]) == (NEJM, 1)
    assert value["images"] == {"attached": NEJM - 1, "missing": 1}
