"""A scale fits what was played: by default the one that is made for it, in its words; another is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from osler.cli.main import app
from osler.core.registry import OURS, protocol_named
from osler.errors import BadInput
from osler.store.store import open_store
from osler.studies.rating.guide import guide_text
from osler.studies.rating.ratings import Rating, levels_of, rating_json
from osler.studies.rating.scales import Scale, load_scale, packaged, scale_for
from osler.studies.rating.sheet import read_sheet, text_of
from tests.studies.rating.rated import save

PLAYED = {
    "consultation": ("consult", "library", "--limit", "2", "--doctor", "null"),
    "ward_round": ("round", "library", "--limit", "2", "--max-rounds", "1", "--students", "2"),
    "scenario": ("scenario", "play", "library", "--limit", "2", "--examinee", "null"),
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OSLER_STORE", str(tmp_path / "osler.db"))
    return tmp_path


def osler(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def said(done: Result) -> str:
    return " ".join(done.stderr.split())


@pytest.mark.parametrize("name", [name for name in OURS if protocol_named(name).scale])
def test_every_protocol_has_a_scale_of_its_own_and_words_of_its_own(name: str) -> None:
    protocol = protocol_named(name)
    scale = scale_for(protocol)
    assert scale.protocols == (name,)
    guide = guide_text(scale, protocol)
    assert f"one {protocol.one}" in guide
    assert f"who played the {protocol.under_test}" in guide
    others = {protocol_named(other).under_test for other in OURS} - {protocol.under_test}
    assert not [seat for seat in others if f"played the {seat}" in guide]


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("scale", packaged())
def test_a_scale_made_for_another_protocol_is_refused(name: str, scale: str) -> None:
    protocol, wanted = protocol_named(name), load_scale(scale)
    if name in wanted.protocols:
        assert scale_for(protocol, scale) == wanted
        return
    with pytest.raises(BadInput, match=f"is made for .*, not for {protocol.many}"):
        scale_for(protocol, scale)


@pytest.mark.parametrize("name", PLAYED)
def test_an_export_asks_what_was_played_for_its_scale(name: str, here: Path) -> None:
    assert osler(*PLAYED[name]).exit_code == 0
    value = json.loads(osler("rate", "export", "last", "--out", "out", "--json").stdout)
    assert value["scale"] == scale_for(protocol_named(name)).full_version
    other = "manager" if name != "consultation" else "teaching"
    for words in (("export", "last", "--out", "no"), ("agreement", "last")):
        done = osler("rate", *words, "--scale", other)
        assert done.exit_code == 1
        assert f"the scale {other} is made for" in said(done)
    assert not Path("no").exists()


def test_a_ward_round_and_a_consultation_are_never_on_one_sheet(here: Path) -> None:
    runs = []
    for name in ("consultation", "ward_round"):
        done = osler(*PLAYED[name], "--json")
        runs.append(json.loads(done.stdout)["run"])
    done = osler("rate", "export", *runs, "--out", "out")
    assert done.exit_code == 1
    assert "name runs of one protocol" in said(done)


def test_a_scale_of_ones_own_that_names_no_protocol_is_taken_for_any() -> None:
    own = Scale.model_validate(
        {"name": "own", "title": "t", "version": 1, "guide": "g"}
        | {"items": [{"id": "a", "asks": "?", "levels": ["no", "yes"]}]}
    )
    for name in OURS:
        own.check_fits(protocol_named(name))


def test_what_a_scale_shows_of_a_case_is_refused_where_there_is_none(here: Path) -> None:
    assert osler(*PLAYED["scenario"]).exit_code == 0
    items = "items: [{id: a, asks: a, levels: [a, b]}]"
    Path("own.yaml").write_text(f"{{name: own, title: t, version: 1, guide: g, reference: [plan], {items}}}")
    done = osler("rate", "export", "last", "--out", "out", "--scale", "own.yaml")
    assert done.exit_code == 1
    assert "shows raters a case's plan" in said(done)


def test_the_vignette_stands_on_the_sheet_of_a_ward_round(here: Path) -> None:
    assert osler(*PLAYED["ward_round"]).exit_code == 0
    assert osler("rate", "export", "last", "--out", "out").exit_code == 0
    for row in read_sheet(Path("out/for-raters/rater-1.csv")).rows:
        labels = {line.partition(": ")[0] for line in row.whole("reference").splitlines()}
        assert {"first words", "history", "test", "right answer", "step 1"} <= labels


@pytest.mark.parametrize("name", ["teaching", "learner"])
def test_marks_are_written_stored_and_shown_from_1_to_10(name: str, here: Path) -> None:
    assert osler(*PLAYED["ward_round"]).exit_code == 0
    assert osler("rate", "export", "last", "--out", "out", "--raters", "3", "--scale", name).exit_code == 0
    scale = load_scale(name)
    filled = sorted(Path("out/for-raters").glob("*.csv"))
    for at, path in enumerate(filled):
        sheet = read_sheet(path)
        assert [list(asked.levels) for asked in sheet.items()] == [list(range(1, 11))] * len(scale.items)
        for row in sheet.rows:
            row.cells.update({"rater": f"r{at}"} | {item.id: str(8 + at) for item in scale.items})
        save(path, text_of(sheet))
    key = ("--key", "out/key.json")
    assert osler("rate", "import", *map(str, filled), *key).exit_code == 0
    with open_store(here / "osler.db") as store:
        bodies = [json.loads(one.body) for one in store.judgements(store.run("last").id)]
    given = {
        (score["value"], score["level"])
        for body in bodies
        if body["grader"].startswith("person:")
        for score in body["scores"].values()
    }
    assert given == {(8.0, 8), (9.0, 9), (10.0, 10)}
    value = json.loads(osler("rate", "agreement", "last", "--scale", name, "--json").stdout)
    for one in value["with_judges"]:
        assert (one["unit"], one["people"]["value"]) == ("mark", 9.0)
        assert 1 <= one["judged"]["value"] <= 10
    assert {(one["first"], one["last"]) for one in value["boxes"]} == {(1, 10)}
    shown = osler("rate", "agreement", "last", "--scale", name).stdout
    assert "%" not in shown.partition("Marks by people and judge")[2].partition("judged:")[0]
    assert "Yes or no" not in shown, "no empty table where nothing is answered yes or no"
    sheet = read_sheet(filled[0])
    sheet.rows[0].cells[scale.items[0].id] = "0"
    save(filled[0], text_of(sheet))
    done = osler("rate", "import", str(filled[0]), *key)
    assert "a whole number from 1 to 10" in said(done)


def test_what_was_rated_is_read_back_as_it_was_written() -> None:
    scale = load_scale("teaching")
    rating = Rating("a", {"ets": 0, "msm": 9, "mps": "cannot_say"}, "", "B", "B-001")
    text = rating_json(scale, rating)
    assert levels_of(scale, text) == {"ets": 0, "msm": 9, "mps": None}
    scores = json.loads(text)["scores"]
    assert [scores[name]["level"] for name in ("ets", "msm", "mps")] == [1, 10, None]
    assert [scores[name]["value"] for name in ("ets", "msm", "mps")] == [1, 10, None]
