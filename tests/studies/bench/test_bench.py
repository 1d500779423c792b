"""The benchmark: the same tables everywhere, and a card that shows whether two sites ran the same thing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from osler.core.registry import protocol_named
from osler.errors import BadInput
from osler.runs import run as runs
from osler.store.store import open_store
from osler.studies.bench.card import PlayedCondition, card_of, html, json_text, markdown
from osler.studies.bench.tables import Bench, conditions, packaged

OSLER = str(Path(sys.executable).with_name("osler"))
SMALL = Bench.model_validate(
    {
        "version": 1,
        "splits": {"test": 5, "dev": 6},
        "tables": [
            {"name": "one", "protocol": "consultation", "cases": "generated:3:{seed}"},
            {"name": "<two>", "protocol": "ward_round", "cases": "library", "limit": 2},
        ],
    }
)


def played(path: Path, split: str = "test", seats: dict[str, str] | None = None) -> dict[str, Any]:
    """The card of the small benchmark, played with built-in players."""
    with open_store(path) as store:
        found = []
        for one in conditions(SMALL, split, seats=seats):
            sitting = runs.play(runs.begin(one.config, store), store)
            found.append(PlayedCondition(one, sitting.run))
        return card_of(SMALL, split, found, store, quick=False, standard=True)


@pytest.fixture(scope="module")
def card(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return played(tmp_path_factory.mktemp("bench") / "one.db")


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("split", packaged().splits)
def test_every_table_has_trivial_players_a_baseline_and_an_oracle_where_there_is_one(
    split: str, quick: bool
) -> None:
    found = conditions(packaged(), split, quick=quick)
    for table in packaged().tables:
        roles = {one.player: one.role for one in found if one.table.name == table.name}
        role = protocol_named(table.protocol).role(protocol_named(table.protocol).under_test)
        assert "trivial" in roles.values()
        assert roles[role.default] == "baseline"
        assert {
            name for name, kind in roles.items() if kind == "oracle"
        } == role.privileged & role.players.keys()
    assert {one.table.protocol for one in found} == {"consultation", "scenario", "ward_round"}


def test_a_named_player_plays_beside_them_and_another_seat_is_changed_in_all_tables_that_have_it() -> None:
    found = conditions(packaged(), seats={"doctor": "novice,null", "patient": "scripted:p.json"})
    doctors = [one.player for one in found if one.table.name == "consultations" and one.role == "named"]
    assert doctors == ["novice"]  # null is there already
    patients = {one.table.protocol: one.config.players().get("patient") for one in found}
    assert patients["consultation"] == patients["scenario"] == "scripted:p.json"


@pytest.mark.parametrize(
    ("how", "what"),
    [
        ({"split": "train"}, "known: test, dev"),
        ({"seats": {"nurse": "baseline"}}, "doctor, examinee, tutor"),
    ],
)
def test_what_does_not_exist_is_refused_before_anything_is_played(how: dict[str, Any], what: str) -> None:
    with pytest.raises(BadInput, match=what):
        conditions(packaged(), **how)


def test_the_same_players_give_the_same_card_and_others_another(card: dict[str, Any], tmp_path: Path) -> None:
    one, again = card, played(tmp_path / "again.db")
    assert json_text(one) == json_text(again)
    dev = played(tmp_path / "dev.db", "dev")
    assert one["hash"] != dev["hash"]
    assert {run["export"] for run in one["tables"][0]["runs"]}.isdisjoint(
        run["export"] for run in dev["tables"][0]["runs"]
    )
    more = played(tmp_path / "more.db", seats={"tutor": "lecturer"})
    assert more["tables"][0] == one["tables"][0]
    assert more["hash"] != one["hash"]


def test_every_figure_has_its_interval_n_and_what_is_unscored_in_every_form(card: dict[str, Any]) -> None:
    for table in card["tables"]:
        episodes = {run["player"]: run["episodes"] for run in table["runs"]}
        assert table["judge"]
        for row in table["rows"]:
            assert row.keys() == {"player", "role", "measure", "value", "low", "high", "n", "unscored"}
            assert row["n"] + row["unscored"] <= episodes[row["player"]]
        told = {row["player"] for row in table["rows"]}
        assert told == episodes.keys()
        for text in (markdown(card), html(card)):
            assert all(player in text for player in told)
            assert card["hash"] in text
    assert "&lt;two&gt;" in html(card)
    assert "<two>" not in html(card) + markdown(card)
    assert "http" not in html(card).replace("http-equiv", "")


def test_a_dry_run_counts_and_plays_nothing(tmp_path: Path) -> None:
    words = ["bench", "--quick", "--dry-run", "--json", "--store", str(tmp_path / "osler.db")]
    found = json.loads(CliRunner().invoke(app, words).stdout)
    assert found["episodes"] == sum(one["episodes"] for one in found["runs"]) > 300
    assert not (tmp_path / "osler.db").exists()


@pytest.mark.slow
def test_it_goes_on_where_it_was_and_comes_to_the_same_card_in_two_processes(tmp_path: Path) -> None:
    def bench(store: str, out: str, *more: str) -> dict[str, Any]:
        words = [OSLER, "bench", "--quick", "--json", "--out", str(tmp_path / out), *more]
        environ = {**os.environ, "OSLER_STORE": str(tmp_path / store)}
        done = subprocess.run(words, capture_output=True, text=True, check=False, env=environ)
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    one = bench("one.db", "one")
    with open_store(tmp_path / "one.db") as store:
        names = [run.name for run in store.runs()]
    assert bench("one.db", "again")["hash"] == one["hash"]
    with open_store(tmp_path / "one.db") as store:
        assert [run.name for run in store.runs()] == names
    other = bench("two.db", "two", "--processes", "2")
    assert (tmp_path / "two" / "card.json").read_bytes() == (tmp_path / "one" / "card.json").read_bytes()
    assert other["tables"] == one["tables"]
    assert one["files"] == [str(tmp_path / "one" / f"card.{ending}") for ending in ("json", "md", "html")]
