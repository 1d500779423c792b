"""`osler study people`: sittings of people held against players on the same worlds, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from osler.cli.main import app
from osler.core.factory import always
from osler.core.permitted import NotPermitted
from osler.core.registry import protocol_named
from osler.errors import BadInput
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.players.trivial import AlwaysConclude
from osler.runs import run as runs
from osler.store.deletion import delete_words
from osler.store.permissions import grant, withdraw
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.people.beside import (
    AGAIN,
    DELETED,
    NO_PERSON,
    NOT_COMPARABLE,
    NOT_PERMITTED,
    OTHER_CASE,
    OTHER_WORLD,
    beside,
)
from osler.studies.people.instructions import commands_like, instructions
from osler.studies.people.sittings import runs_of_people

CASES = ("cardiology-01", "cardiology-02", "cardiology-03", "dermatology-01", "endocrinology-01")
TYPED = "Where does it hurt?\n/done inferior STEMI\n80\npain\naspirin\ntomorrow\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OSLER_STORE", str(tmp_path / "osler.db"))


def osler(*words: str, typed: str = "") -> Result:
    return CliRunner().invoke(app, list(words), input=typed)


def value(*words: str, typed: str = "") -> dict[str, Any]:
    done = osler(*words, "--json", typed=typed)
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def sits(store: Store, person: str, only: str = "cardiology-01", **config: Any) -> RunInfo:
    """A run in which somebody who concludes at once sat as doctor, and permits research."""
    more = {"person": always(AlwaysConclude())}
    config = {"only": only, **config}
    run = runs.begin(RunConfig(doctor="person", **config), store, more)
    runs.play(run, store, more=more)
    grant(store, run.id, [row.ordinal for row in store.episodes(run.id)], ["research"], pseudonym=person)
    return store.info(run.id)


def plays(store: Store, doctor: str = "baseline", **config: Any) -> RunInfo:
    run = runs.begin(RunConfig(doctor=doctor, **config), store)
    runs.play(run, store)
    return store.info(run.id)


def test_until_somebody_has_sat_it_says_how_and_that_there_is_no_human_anchor() -> None:
    done = osler("study", "people")
    assert done.exit_code == 0, done.output
    said = " ".join(done.output.split())
    assert "No human anchor: nobody has sat" in said
    for needed in ("Consent", "osler serve", "osler permit last --uses research", "power 80 %", "osler rate"):
        assert needed in said, needed
    found = value("study", "people")
    assert found["anchored"] is found["human_anchor"]["anchored"] is False
    designs = {(one["people"], one["cases"]): one["smallest"] for one in found["instructions"]["designs"]}
    assert designs[5, 6] > designs[20, 24] > designs[40, 36] > 0.1


@pytest.mark.parametrize("name", ["consultation", "scenario", "ward_round"])
def test_the_command_in_the_instructions_plays_the_worlds_that_people_will_meet(name: str) -> None:
    protocol = protocol_named(name)
    (line,) = instructions(protocol, (), "nobody").commands
    words = line.removeprefix("osler ").split()
    words = [word.replace("model:NAME", "baseline" if name != "ward_round" else "silent") for word in words]
    assert value(*words, "--limit", "1")["episodes"] == 1


def test_a_person_at_a_terminal_is_paired_by_the_command_that_was_printed(store: Store) -> None:
    """From the first word to the difference, through the program alone."""
    told = osler("play", "cardiology-01", typed=TYPED)
    assert told.exit_code == 0, told.output
    sat = value("permit", "last", "--uses", "research", "--pseudonym", "A1")["run"]
    empty = value("study", "people")
    assert not empty["anchored"]
    assert (empty["sittings"], empty["people"], empty["cases"]) == (1, 1, 1)
    (line,) = empty["instructions"]["commands"]
    assert "--only cardiology-01" in line
    player = value(*line.removeprefix("osler ").replace("model:NAME", "baseline").split())["run"]
    found = value("study", "people", "--people", sat, "--models", player, "--out", "people.html")
    assert found["anchored"]
    assert found["instructions"] is None
    (one,) = found["beside"]
    assert (one["pairs"], one["people"], one["cases"], one["left_out"]) == (1, 1, 1, {})
    first = one["scores"][0]
    assert (first["score"], first["people_mean"], first["n"]) == ("correct", 1.0, 1)
    assert first["difference"]["low"] is None, "one person shows nothing"
    assert first["power"]["assumed"]
    assert first["power"]["smallest"] > 0.9
    page = Path("people.html").read_text("utf-8")
    assert "No human anchor" in page
    assert "<script" not in page
    assert "A1" not in page + json.dumps(found), "a pseudonym is for counting alone"


def test_pairs_are_worlds_and_the_difference_is_people_minus_player(store: Store) -> None:
    mine = [sits(store, f"p{who}", case) for who in range(6) for case in CASES]
    other = plays(store, limit=6)  # theirs, and one that nobody sat at
    found = beside(store, mine, [other], ["correct", "turns"])
    (one,) = found.beside
    assert (one.pairs, one.people, one.cases) == (30, 6, 5)
    assert one.left_out == {NO_PERSON: 1}
    correct, turns = one.scores
    want = {row.case_id: row for row in store.episodes(other.id)}
    gap = turns.difference
    assert gap.first == pytest.approx(sum(want[case].turns for case in CASES) / 5, abs=1e-6)
    assert gap.second == 1.0
    assert gap.value == pytest.approx(1.0 - (gap.first or 0), abs=1e-6)
    assert gap.low is not None
    assert gap.low < (gap.value or 0) < (gap.high or 0)
    assert (gap.p_holm, correct.difference.p_holm) == (gap.p, None)
    assert correct.power is not None
    assert correct.power.assumed, "people were wrong and the player right throughout"
    assert correct.power.smallest > 0.1
    assert correct.power.people is None, "more people on five cases do not show ten points"
    assert turns.power is not None
    assert not turns.power.assumed
    assert turns.power.smallest > 0


def test_few_people_or_cases_have_no_interval(store: Store) -> None:
    mine = [sits(store, f"p{who}", case) for who in range(4) for case in CASES]
    (one,) = beside(store, mine, [plays(store, limit=5)], ["turns"]).beside
    assert one.scores[0].difference.value is not None
    assert one.scores[0].difference.low is one.scores[0].difference.p is None


def test_whatever_has_no_partner_is_counted_with_its_reason(store: Store) -> None:
    mine = [
        sits(store, "a"),
        sits(store, "a"),  # knows the case by now
        sits(store, "b", persona="anxious"),
        sits(store, "c", "cardiology-02"),
        sits(store, "d", settings={"max_attempts": 7}),
        sits(store, "e", consultant="baseline"),
        sits(store, "f", seed=5),
    ]
    (one,) = (found := beside(store, mine, [plays(store, only="cardiology-01")], ["correct"])).beside
    assert (one.pairs, found.left_out) == (1, {AGAIN: 1})
    assert one.left_out == {OTHER_CASE: 1, OTHER_WORLD: 2, NOT_COMPARABLE: 2}
    assert any("consultant is baseline in" in reason for reason in one.refused)
    assert any("settings.max_attempts is 7 in" in reason for reason in one.refused)


def test_whoever_gave_no_name_is_one_person(store: Store) -> None:
    mine = [sits(store, "", case) for case in CASES[:3]] + [sits(store, "")]
    (one,) = beside(store, mine, [plays(store, limit=3)], ["correct"]).beside
    assert (one.pairs, one.people) == (3, 1)


def test_only_what_is_permitted_counts(store: Store) -> None:
    mine = [sits(store, "a"), sits(store, "b"), sits(store, "c")]
    player = plays(store, only="cardiology-01")
    withdraw(store, mine[1].id, [row.ordinal for row in store.episodes(mine[1].id)])
    delete_words(store, mine[2].id, [row.ordinal for row in store.episodes(mine[2].id)])
    found = beside(store, [store.info(run.id) for run in mine], [player], ["correct"])
    assert (found.sittings, found.left_out) == (1, {NOT_PERMITTED: 1, DELETED: 1})
    withdraw(store, mine[0].id, [row.ordinal for row in store.episodes(mine[0].id)])
    with pytest.raises(NotPermitted, match="needs research"):
        beside(store, mine[:2], [player], ["correct"])
    found = beside(store, mine[:2], [player], ["correct"], named=False)
    assert (found.anchored, found.left_out) == (False, {NOT_PERMITTED: 2})


def test_a_person_is_no_player_and_a_player_no_person(store: Store) -> None:
    mine, player = sits(store, "a"), plays(store, only="cardiology-01")
    with pytest.raises(BadInput, match="a person played in it"):
        beside(store, [mine], [mine])
    with pytest.raises(BadInput, match="no person sat as its doctor"):
        runs_of_people(store, [player.name])
    assert [run.name for run in runs_of_people(store)] == [mine.name]


def test_the_oracle_and_another_judge_are_refused_in_words(store: Store) -> None:
    mine = sits(store, "a")
    oracle = plays(store, "oracle", only="cardiology-01")
    (one,) = beside(store, [mine], [oracle], ["correct"]).beside
    assert one.left_out == {NOT_COMPARABLE: 1}
    assert "privileged" in one.refused[0]
    player = plays(store, only="cardiology-01")
    ordinal = next(store.episodes(player.id)).ordinal
    body = json.dumps({"scores": {"plan": {"value": 1.0}}})
    store.put_judgements(player.id, [(ordinal, "model:j", "1", body)])
    (one,) = beside(store, [mine], [player], ["plan"], grader="model:j").beside
    assert "has not been judged by model:j" in one.refused[0]
    store.put_judgements(mine.id, [(ordinal, "model:j", "2", body)])
    (one,) = beside(store, [mine], [player], ["plan"], grader="model:j").beside
    assert "versions differ" in one.refused[0]


def test_more_than_a_few_unscored_give_bounds(store: Store) -> None:
    mine = [sits(store, f"p{who}", case) for who in range(5) for case in CASES]
    player = plays(store, limit=5)
    for run in (*mine, player):
        for row in store.episodes(run.id):
            unscored = run is not player and row.case_id == CASES[0]
            told = {"value": None if unscored else 1.0, "reason": "x"}
            store.put_judgements(
                run.id, [(row.ordinal, "model:j", "1", json.dumps({"scores": {"ok": told}}))]
            )
    (one,) = beside(store, mine, [player], ["ok"], grader="model:j").beside
    gap = one.scores[0].difference
    assert (gap.n_pairs, gap.unscored, gap.bounds) == (20, 5, (-0.2, 0.0))


def test_one_command_for_one_configuration(store: Store) -> None:
    mine = [sits(store, "a"), sits(store, "a", "cardiology-02"), sits(store, "b", seed=3)]
    told = commands_like(mine)
    assert told == [
        "osler run consultation library --seat doctor=model:NAME",
        "osler run consultation library --seat doctor=model:NAME --seed 3 --only cardiology-01",
    ]
