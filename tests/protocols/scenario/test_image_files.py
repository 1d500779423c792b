"""A station of our own format may show an image file, which lies beside it."""

from __future__ import annotations

from pathlib import Path

from osler.cases.importers import Images
from osler.cases.importers.osler_yaml import write_pictures
from osler.cases.pictures import files_in, unseen
from osler.cases.scenarios.model import Scenario
from osler.cases.scenarios.reading import write_scenario
from osler.cases.scenarios.sources import open_scenarios
from osler.pictures.files import cleaned
from tests.pictures.images import png


def pictured(folder: Path) -> Scenario:
    """The first station of the library, one of whose acts shows an image; its bytes are at hand."""
    kept = cleaned(png(1))
    (folder / "pictures").mkdir()
    (folder / "pictures" / kept.picture.name).write_bytes(kept.raw)
    (scenario,) = open_scenarios("st02")
    told = scenario.model_dump(mode="json")
    told["actions"][0]["picture"] = kept.picture.model_dump()
    return Scenario.model_validate(told)


def test_a_station_carries_its_image_and_is_refused_without_it(tmp_path: Path) -> None:
    scenario = pictured(tmp_path)
    (image,) = files_in(scenario)
    images = Images(tmp_path / "pictures")
    assert images.with_files(scenario, tmp_path / "nowhere") is scenario
    out = tmp_path / "out"
    write_scenario(scenario, out)
    assert (out / "pictures" / image.name).is_file()
    (again,) = open_scenarios(str(out))
    assert again.content_hash == scenario.content_hash
    (out / "pictures" / image.name).unlink()
    source = open_scenarios(str(out))
    assert list(source) == []
    assert source.report is not None
    assert image.name in source.report.reasons[0].reason
    (bare,) = open_scenarios(str(out), images=Images(without=True))
    assert unseen(bare)
    assert not list(files_in(bare))
    write_pictures(scenario, out)
    assert list(open_scenarios(str(out)))
