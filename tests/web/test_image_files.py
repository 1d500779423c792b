"""Image files on the screens: shown as what they are, to the views that were shown them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from osler.cases.importers import Images
from osler.cases.pictures import pictures_of
from osler.cases.sources import open_source
from osler.pictures import data_uri, draw
from osler.protocols.ward_round.config import RoundConfig
from osler.runs import run as runs
from osler.web.house import House
from osler.web.watch.player import player_html
from tests.cases.pictured import write_mm
from tests.web.conftest import calling


def test_a_file_is_shown_with_its_own_media_type_and_goes_into_the_player(
    house: House, tmp_path: Path
) -> None:
    records, folder = write_mm(tmp_path / "in", 1)
    config = RoundConfig(cases=str(records), images=str(folder), students=1, seed=1)
    run = runs.play(runs.begin(config, house.store), house.store).run
    (case,) = open_source(str(records), images=Images(folder))
    pictures = list(pictures_of(case).values())

    async def seen(view: str) -> list[tuple[str, bytes]]:
        async with calling(house) as client:
            log = (await client.get(f"/api/episodes/{run.name}/0/log", params={"view": view})).json()
            addresses = [item["picture"] for item in log["items"] if item["picture"]]
            answers = [await client.get(address) for address in addresses]
            assert all(answer.status_code == 200 for answer in answers)
            return [(answer.headers["content-type"], answer.content) for answer in answers]

    shown = asyncio.run(seen("student_1"))
    assert sorted(shown) == sorted((picture.media_type, draw(picture)) for picture in pictures)  # type: ignore[union-attr]
    assert {kind for kind, _ in shown} == {"image/jpeg", "image/png"}
    assert asyncio.run(seen("patient")) == []
    page = player_html(house.store, run, 0, "all").text
    assert all(data_uri(picture) in page for picture in pictures)
    assert "XM-70" not in page.replace(case.provenance.record, "")
