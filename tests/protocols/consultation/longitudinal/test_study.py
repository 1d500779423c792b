"""A whole small study: what it says, that it goes on where it stopped, and that it is one command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from osler.errors import BadInput
from osler.memory.sql_memory import SqlKeeper
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.longitudinal.design import ARMS
from osler.protocols.consultation.longitudinal.page import longitudinal_html
from osler.protocols.consultation.longitudinal.run_stream import Studied
from osler.protocols.consultation.longitudinal.run_study import run_apart, run_here, sits, studied
from osler.runs import run as runs
from osler.runs.batch import Progress
from osler.store.store import Store, open_store
from tests.protocols.consultation.longitudinal.conftest import DESIGN, Played


def test_every_condition_has_its_figures(played: Played) -> None:
    report, _ = played
    assert (report.status, report.plan.done) == ("done", 2)
    assert list(report.conditions) == list(ARMS)
    for name, one in report.conditions.items():
        assert [len(row) for row in one.R] == [2, 2]
        assert one.acc == pytest.approx(sum(cell or 0 for cell in one.R[-1]) / 2, abs=1e-5)
        assert (one.memory_precision is None) == (name == "none")
        assert one.unscored == 0
    none = report.conditions["none"]
    assert (none.acc, none.bwt, none.transfer.value) == (0, 0, 0)
    assert none.cost.teaching == []


def test_what_was_taught_is_kept_and_room_that_is_cut_is_cut(
    played: Played,
) -> None:
    report, _ = played
    assert [sum(stage.values()) for stage in report.fates] == [8, 8]
    assert report.conditions["oracle"].memory_size == [4, 8]
    assert report.conditions["small"].memory_size == [4, 4]
    assert (report.conditions["memory"].cost.teaching[0]["episodes"] or 0) >= 8


def test_nothing_leaked(played: Played) -> None:
    report, _ = played
    assert report.audit.clean
    assert report.audit.cards > 0


def test_no_held_out_case_stands_in_any_memory(study: Studied, played: Played) -> None:
    keeper = SqlKeeper(played[1].engine)
    held_out = {study.source.get(place).content_hash for place in study.plan.held_out}
    for name in keeper.names():
        cards = keeper.load(keeper.steps(name)[-1].snapshot).cards.values()
        assert not held_out & {card.origin.case for card in cards}


def test_wrong_memory_never_names_its_own_case_right(played: Played) -> None:
    keeper = SqlKeeper(played[1].engine)
    for name in (each for each in keeper.names() if each.endswith("/wrong")):
        right = keeper.load(keeper.steps(name.replace("wrong", "oracle"))[-1].snapshot).cards.values()
        gold = {card.origin.case: card.diagnosis for card in right}
        wrong = keeper.load(keeper.steps(name)[-1].snapshot).cards.values()
        assert wrong
        assert all(card.diagnosis != gold[card.origin.case] for card in wrong)
        # Nor does anything else that a doctor is shown of it say what was right.
        assert not any(gold[card.origin.case].lower() in card.content.lower() for card in wrong)


@pytest.mark.slow
def test_online_each_case_profits_from_the_one_before_and_it_resumes(tmp_path: Path) -> None:
    design = DESIGN.model_copy(update={"write": "online", "points": 3, "seeds": 1})
    whole = studied(design)
    with open_store(tmp_path / "one.db") as store:
        report = run_here(whole, store, sits(whole, store, 4), lambda _: None)
        assert (report.status, report.audit.clean) == ("done", True)
        taught = [run for run in store.runs() if "-taught0." in run.name]
        assert [run.planned for run in taught] == [1, 1, 1, 1]
        by_name = {run.name.rpartition(".")[2]: run.manifest["configuration"]["memory"] for run in taught}
        positions = [by_name[str(case)]["position"] for case in range(4)]
        assert positions == [0, 1, 2, 3]
        keeper = SqlKeeper(store.engine)
        sizes = [keeper.size(by_name[str(case)]["snapshot"]) for case in range(4)]
        assert sizes == sorted(sizes)
        assert sizes[-1] > 0, "within the block"
        assert "each case was consulted with what was written back" in report.curve
    with open_store(tmp_path / "two.db") as store:
        first = run_here(whole, store, dying(whole, store, 15), lambda _: None)
        assert first.status == "interrupted"
    with open_store(tmp_path / "two.db") as store:
        assert run_here(whole, store, sits(whole, store, 2), lambda _: None) == report


@pytest.mark.slow
def test_killed_again_and_again_it_ends_the_same(study: Studied, played: Played, tmp_path: Path) -> None:
    sittings, report = 0, None
    while report is None or report.status != "done":
        with open_store(tmp_path / "s.db") as store:
            report = run_here(study, store, dying(study, store, 41), lambda _: None)
            sittings += 1
            assert sittings < 60
    assert sittings > 2
    assert report.model_dump_json() == played[0].model_dump_json()
    with open_store(tmp_path / "s.db") as store:
        for run in played[1].runs():
            assert _episodes(store, run.name) == _episodes(played[1], run.name)
            keepers = [SqlKeeper(each.engine) for each in (store, played[1])]
            assert list(keepers[0].retrieved(run.name)) == list(keepers[1].retrieved(run.name))


def _episodes(store: Store, name: str) -> list[Any]:
    return [(episode.key, trace.rows, trace.outcome) for episode, trace in store.traces(store.run(name).id)]


def dying(study: Studied, store: Store, after: int) -> Callable[..., runs.Session]:
    """Plays so many episodes, then is interrupted in the middle of a run."""
    left = [after]

    def count(progress: Progress) -> None:
        left[0] -= 1
        if left[0] <= 0:
            raise KeyboardInterrupt

    def sit(config: RunConfig, find: Callable[..., Any]) -> runs.Session:
        run = find(config, {})
        if run.status == "done":
            return runs.Session(run, "done", "", 0.0)
        return runs.play(run, store, concurrency=3, source=study.source, on_progress=count)

    return sit


@pytest.mark.slow
def test_in_processes_of_their_own_streams_come_to_the_same(
    study: Studied, played: Played, tmp_path: Path
) -> None:
    with open_store(tmp_path / "s.db"):
        pass
    report = run_apart(study, str(tmp_path / "s.db"), 2, lambda _: None)
    assert report.model_dump_json() == played[0].model_dump_json()


def test_the_page_holds_everything_and_no_script(played: Played) -> None:
    page = longitudinal_html(played[0])
    assert page == longitudinal_html(played[0])
    assert "<script" not in page
    for words in ("Learning curves", "Retention", "Leak audit", "memory minus none"):
        assert words in page


@pytest.mark.slow
def test_one_command_plays_it_and_another_audits_it(tmp_path: Path) -> None:
    store = str(tmp_path / "s.db")
    options = "--by random --blocks 2 --orders 1 --seeds 1 --taught 3 --probes 2 --processes 1"
    words = f"study run longitudinal --cases generated:24:1 {options} --store {store} --json"
    first, second = (CliRunner().invoke(app, words.split()) for _ in range(2))
    assert first.exit_code == 0, first.stderr
    value = json.loads(first.stdout)
    assert json.loads(second.stdout) == value
    assert {"none", "memory", "wrong", "oracle"} <= value["conditions"].keys()
    wanted = {
        "R",
        "acc",
        "bwt",
        "fwt",
        "forgetting",
        "lca",
        "transfer",
        "negative_transfer",
        "memory_precision",
    }
    assert {*wanted, "cost"} <= value["conditions"]["memory"].keys()
    assert {"value", "low", "high", "n"} <= value["conditions"]["memory"]["transfer"].keys()
    assert value["audit"]["clean"] is True
    audited = CliRunner().invoke(app, ["memory", "audit", "last", "--store", store, "--json"])
    assert json.loads(audited.stdout)["clean"] is True
    listed = json.loads(CliRunner().invoke(app, ["memory", "list", "--store", store, "--json"]).stdout)
    names = [row["memory"] for row in listed["memories"]]
    assert [name.rpartition("/")[2] for name in names] == ["memory", "oracle", "small", "wrong"]
    shown = json.loads(
        CliRunner().invoke(app, ["memory", "snapshot", names[0], "--store", store, "--json"]).stdout
    )
    back = ["memory", "rollback", names[0], shown["steps"][1]["snapshot"], "--store", store, "--json"]
    rolled = json.loads(CliRunner().invoke(app, back).stdout)
    assert rolled["snapshot"] == shown["steps"][1]["snapshot"]
    assert rolled["step"] == shown["steps"][-1]["n"] + 1


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ("study run longitudinal --doctor oracle", "is told the answer"),
        ("study run longitudinal --doctor nobody", "no doctor is called"),
        ("study run longitudinal --cases generated:6:1 --by random", "too few"),
        ("study run tutors --blocks 3", "--blocks applies only to the study longitudinal"),
        ("memory audit nothing", "there is no"),
    ],
)
def test_what_cannot_be_is_said_in_words(words: str, wrong: str, tmp_path: Path) -> None:
    found = CliRunner().invoke(app, [*words.split(), "--store", str(tmp_path / "s.db")])
    assert found.exit_code == 1
    assert wrong in " ".join(found.stderr.split())
    assert "Traceback" not in found.stderr


def test_too_many_cases_ask_for_a_limit() -> None:
    with pytest.raises(BadInput, match="--limit"):
        studied(DESIGN.model_copy(update={"cases": "generated:30000:1"}))
