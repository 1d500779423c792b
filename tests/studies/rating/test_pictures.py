"""What raters are shown of a case with pictures: the files beside their sheets, under blind names."""

from __future__ import annotations

from pathlib import Path

from osler.cases.importers import Images
from osler.cases.pictures import pictures_of
from osler.cases.sources import open_source
from osler.pictures import draw, media_type
from osler.protocols.ward_round.config import RoundConfig
from osler.runs import run as runs
from osler.store.store import open_store
from osler.studies.rating.export import FOR_RATERS, GUIDE, PICTURES, SampleRequest, write_export
from osler.studies.rating.scales import load_scale
from tests.cases.pictured import write_mm


def test_raters_see_the_images_of_a_case_and_no_name_of_a_file(tmp_path: Path) -> None:
    records, folder = write_mm(tmp_path / "in", 1)
    config = RoundConfig(cases=str(records), images=str(folder), students=1)
    with open_store(tmp_path / "osler.db") as store:
        run = runs.play(runs.begin(config, store), store).run
        found = write_export(store, [run], load_scale("teaching"), SampleRequest(n=1), tmp_path / "out")
    (case,) = open_source(str(records), images=Images(folder))
    raters = tmp_path / "out" / FOR_RATERS
    (name,) = found.key.episodes
    shown = {path.name: path.read_bytes() for path in (raters / PICTURES).iterdir()}
    assert shown == {
        f"{name}-{ident}.{media_type(picture).removeprefix('image/')}": draw(picture)
        for ident, picture in pictures_of(case).items()
    }
    assert PICTURES in (raters / GUIDE).read_text()
    sheet = (raters / "rater-1.csv").read_text()
    assert "image-1" in sheet
    assert "XM-700-" not in sheet
