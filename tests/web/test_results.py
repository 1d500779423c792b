"""Studies, cards, rating sets and judged runs over the network: the figures that a terminal prints, for those
who may watch, and nothing but what lies in the server's folders."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import quote

import pytest
from rich.table import Table
from rich.text import Text
from typer.testing import CliRunner

from osler.cli.main import app
from osler.cli.output import out
from osler.reports.printed import parts_of
from osler.store.store import open_store
from osler.studies.bench.card import json_text
from osler.studies.bench.card_hashes import card_hash
from osler.studies.study.record import StudyRecord
from osler.web.house import House
from tests.studies.bench.test_bench import played
from tests.studies.judges.scripted import two_runs
from tests.studies.rating.rated import SCALE
from tests.web.conftest import ask

STUDY = """
name: two-doctors
title: Two <b>doctors</b>
question: Does a doctor who asks do better than one who does not?
protocol: consultation
conditions:
  asks: {doctor: baseline}
  concludes: {doctor: always-conclude}
primary: {figure: correct, condition: asks, against: concludes}
"""


def printed(*words: str) -> str:
    """What a command prints in a terminal that is wide enough."""
    with patch.object(out, "_width", 500):  # whatever width the console was made with
        done = CliRunner().invoke(app, [*words])
    assert done.exit_code == 0, done.output
    return done.stdout


def assert_as_printed(parts: list[dict[str, Any]], shown: str) -> None:
    """Every line, and every row of every table, stands in what was printed, in this order."""
    at, shown = 0, " ".join(shown.split())
    for part in parts:
        for text in part["text"].splitlines():
            at = shown.index(" ".join(text.split()), at)
        for row in (part["columns"], *part["rows"]):
            for cell in row:  # a cell may be empty, or hold a word that stands before, too
                at = shown.index(" ".join(cell.split()), at)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a record of a study, a card, and files that are neither; its store lies beside it."""
    base = tmp_path_factory.mktemp("results")
    (base / "out").mkdir()
    (base / "study.yaml").write_text(STUDY)
    store = base / "osler.db"
    words = ["study", "run", str(base / "study.yaml"), "--limit", "3", "--store", str(store)]
    (base / "printed.txt").write_text(printed(*words, "--out", str(base / "out" / "two.json")))
    with open_store(base / "judged.db") as judged:
        two_runs(judged, labelled=40)
    return base


@pytest.fixture
def house(folder: Path) -> Iterator[House]:
    with open_store(folder / "osler.db") as store:
        yield House(store, results=(folder / "out",))


@pytest.fixture
def judged(folder: Path) -> Iterator[House]:
    with open_store(folder / "judged.db") as store:
        yield House(store)


def test_a_study_is_shown_as_it_was_printed_with_the_run_of_each_condition(
    house: House, folder: Path
) -> None:
    listed = ask(house, "GET", "/api/results").json()
    assert [(one["id"], one["kind"], one["title"]) for one in listed["items"]] == [
        ("two", "study", "Two <b>doctors</b>")
    ]
    page = ask(house, "GET", "/api/results/two").json()
    assert_as_printed(page["parts"], (folder / "printed.txt").read_text())
    record = StudyRecord.model_validate_json((folder / "out" / "two.json").read_text())
    table = next(part for part in page["parts"] if part["columns"])
    assert table["columns"][0] == "condition"
    assert [row[0] for row in table["rows"]] == ["asks", "concludes"]
    assert record.value["conditions"].keys() == {"asks", "concludes"}
    assert [(one["condition"], one["run"], one["done"]) for one in page["cells"]] == [
        (name, run, 3) for name, run in record.runs["library"].items()
    ]
    here = ask(house, "GET", "/api/studies").json()
    assert [one["name"] for one in here] == ["two-doctors"]
    assert [(one["condition"], one["status"]) for one in here[0]["cells"]] == [
        ("asks", "done"),
        ("concludes", "done"),
    ]


def test_a_card_is_shown_whole_and_one_that_was_changed_is_not(
    house: House, folder: Path, tmp_path: Path
) -> None:
    card = played(tmp_path / "bench.db")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "card.json").write_text(json_text(card))
    changed = json.loads(json_text(card))
    changed["tables"][0]["rows"][0]["value"] = 1.0
    (tmp_path / "changed.json").write_text(json.dumps(changed))
    (tmp_path / "odd.json").write_text(json.dumps({**changed, "tables": [1], "hash": ""}))
    (tmp_path / "no.json").write_text("{")
    (tmp_path / "linked.json").symlink_to(folder / "out" / "two.json")
    house.results = (tmp_path, folder / "out")
    listed = ask(house, "GET", "/api/results").json()
    assert {(one["id"], one["kind"]) for one in listed["items"]} == {("mine-card", "card"), ("two", "study")}
    assert {one["name"]: one["why"].split(":")[0] for one in listed["unread"]} == {
        "changed": "it is no whole card",
        "odd": "it is no whole card",
        "no": "it cannot be read as JSON",
    }
    page = ask(house, "GET", "/api/results/mine-card").json()
    tables = [part for part in page["parts"] if part["columns"]]
    assert [one["text"] for one in tables] == [one["name"] for one in card["tables"]]
    assert card["hash"] in page["notes"][-1]
    own = ask(house, "GET", "/api/results/mine-card/card.html")
    assert card["hash"] in own.text
    assert "default-src 'none'" in own.headers["content-security-policy"]
    assert ask(house, "GET", "/api/results/two/card.html").status_code == 404


def test_a_card_with_a_hash_of_its_own_that_is_no_card_is_refused(house: House, tmp_path: Path) -> None:
    odd = {"benchmark": {"version": 1}, "tables": [{"name": 3}]}
    (tmp_path / "odd.json").write_text(json.dumps({**odd, "hash": card_hash(odd)}))
    (tmp_path / "deep.json").write_text("[" * 100_000)
    (tmp_path / "nan.json").write_text('{"benchmark": NaN, "tables": [], "hash": ""}')
    house.results = (tmp_path,)
    listed = ask(house, "GET", "/api/results").json()
    assert listed["items"] == []
    assert len(listed["unread"]) == 3


@pytest.mark.parametrize("name", ["../osler", "/etc/passwd", "two.json", "..", "study", "%00"])
def test_no_name_leads_out_of_the_folders(house: House, name: str) -> None:
    answer = ask(house, "GET", f"/api/results/{quote(name, safe='')}")
    assert answer.status_code in (400, 404), answer.text
    assert "osler.db" not in answer.text


def test_a_rating_set_has_the_agreement_that_the_command_prints(judged: House) -> None:
    sets = ask(judged, "GET", "/api/ratings").json()
    assert [(one["scale"], sorted(one["runs"]), one["raters"], one["why"]) for one in sets] == [
        ("manager", ["first", "second"], {"anna": 80}, "")
    ]
    page = ask(judged, "GET", "/api/ratings/manager", params={"run": ["first", "second"]}).json()
    assert (page["rated"], page["episodes"], page["shared"]) == (80, 240, 0)
    where = ("--store", judged.store.label, "--scale", SCALE.name)
    assert_as_printed(page["parts"], printed("rate", "agreement", "first", "second", *where))
    value = json.loads(printed("rate", "agreement", "first", "second", *where, "--json"))
    assert (value["rated"], value["raters"]) == (page["rated"], page["raters"])


def test_judges_are_compared_as_the_command_does_and_each_has_its_figures(judged: House) -> None:
    runs = ask(judged, "GET", "/api/judged").json()
    assert {one["run"] for one in runs} == {"first", "second"}
    page = ask(judged, "GET", "/api/judged/first").json()
    names = [one["judge"]["name"] for one in page["judges"]]
    assert {"fair", "length", "partial"} <= set(names)
    assert_as_printed(page["parts"], printed("judge", "compare", "first", "--store", judged.store.label))
    by_judge = {one["judge"]["name"]: one for one in page["judges"]}
    (correct,) = (one for one in by_judge["fair"]["measures"] if one["name"] == "correct")
    where = ("--store", judged.store.label, "--grader", "fair", "--json")
    shown = json.loads(printed("runs", "summary", "first", *where))
    assert correct["value"] == pytest.approx(shown["measures"]["correct"]["value"]), shown.keys()


@pytest.mark.parametrize("scale", ["scale.yaml", "../manager", "nobody"])
def test_a_scale_is_a_name_and_never_a_file(judged: House, scale: str, tmp_path: Path) -> None:
    answer = ask(judged, "GET", f"/api/ratings/{quote(scale, safe='')}", params={"run": "first"})
    assert answer.status_code == 404, answer.text


@pytest.mark.parametrize(
    "path",
    ["results", "results/two", "results/two/card.html", "studies", "ratings", "judged", "judged/first"],
)
def test_whoever_may_not_watch_sees_none_of_it(house: House, path: str) -> None:
    house.door = house.door._replace(until=2**40)
    assert ask(house, "GET", f"/api/{path}").status_code in (401, 403)


def test_what_is_printed_is_data_without_markup() -> None:
    table = Table("a", title="[bold]T[/bold]")
    table.add_column(Text("[b]"))
    table.add_row("[red]x[/red]", Text("[red]"))
    (part,) = parts_of([table])
    assert (part.text, part.columns, part.rows) == ("T", ("a", "[b]"), (("x", "[red]"),))


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        app, ["serve", "--results", str(tmp_path / "gone"), "--store", str(tmp_path / "s.db")]
    )
    assert (done.exit_code, "no such folder" in done.output) == (1, True)
