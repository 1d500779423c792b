"""What works on any run works on runs of scenarios: resume, branch, judge anew, export and show."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from osler.core.contract import Request
from osler.core.factory import PlayerRequest
from osler.errors import BadInput, InfrastructureFault
from osler.players.casting import casting_of
from osler.protocols.consultation.config import RunConfig
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.scenario.players.controller import BaselineController
from osler.runs import branching
from osler.runs import run as runs
from osler.runs.rejudging import judge_again
from osler.store.export import export_lines
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from tests.protocols.scenario.packets import put_rubric
from tests.protocols.scenario.playing import SMALL

CONFIG = ScenarioConfig(cases=str(SMALL), repeats=2, seed=3)
Stored = tuple[Store, RunInfo]


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stored]:
    """A store with one run of two episodes."""
    with open_store(tmp_path_factory.mktemp("scenarios") / "osler.db") as store:
        run = runs.begin(CONFIG, store)
        yield store, runs.play(run, store).run


def osler(*arguments: str, store: Store, ok: bool = True) -> str:
    """What a command prints; what it says where it must fail."""
    done = CliRunner().invoke(app, [*arguments, "--store", store.label])
    assert (done.exit_code == 0) is ok, done.output
    return done.stdout if ok else done.output


class Failing(BaselineController):
    """The network goes down at the third question it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    async def reply(self, request: Request[Any]) -> Any:
        self.asked += 1
        if self.asked == 3:
            raise InfrastructureFault("the network is down")
        return await super().reply(request)


def test_a_run_that_stops_in_the_middle_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    config = CONFIG.model_copy(update={"controller": "flaky"})

    def flaky(asked: PlayerRequest) -> Any:
        return failing if asked.seat == "controller" else BaselineController()

    failing = Failing()
    with open_store(tmp_path / "whole.db") as whole, open_store(tmp_path / "again.db") as store:
        steady = {"flaky": lambda asked: BaselineController()}
        parent = runs.begin(config, whole, steady)
        assert runs.play(parent, whole, more=steady).status == "done"
        run = runs.begin(config, store, {"flaky": flaky})
        first = runs.play(run, store, more={"flaky": flaky}, concurrency=1)
        assert first.status == "paused"
        kept = len(store.recorded(run.id, 0))
        assert kept > 0
        second = runs.play(run, store, more={"flaky": flaky})
        assert second.status == "done"
        for ordinal in range(2):
            assert store.trace(run.id, ordinal) == whole.trace(parent.id, ordinal)


def test_a_branch_at_any_exchange_ends_as_its_parent_did(stored: Stored) -> None:
    store, parent = stored
    trace = store.trace(parent.id, 0)
    for at in range(len(trace.rows) + 1):
        found = branching.branch(store, parent.id, 0, at)
        run = branching.begin(found, store, found.config)
        assert runs.play(run, store).status == "done"
        assert store.trace(run.id, 0) == trace
        store.delete_run(run.name)


def test_another_examinee_goes_on_from_where_it_was_left(stored: Stored) -> None:
    store, parent = stored
    found = branching.branch(store, parent.id, 0, 3, seats={"examinee": "null"})
    run = branching.begin(found, store, found.config)
    runs.play(run, store)
    theirs, mine = store.trace(parent.id, 0), store.trace(run.id, 0)
    assert mine.rows[:3] == theirs.rows[:3]
    assert mine.outcome.status == "out_of_turns"
    store.delete_run(run.name)
    with pytest.raises(BadInput, match="cannot be given words"):
        branching.branch(store, parent.id, 0, 3, say="Hello?")


def test_judging_again_changes_nothing_and_an_export_is_the_same_every_time(stored: Stored) -> None:
    store, parent = stored
    before = list(export_lines(store, parent.id))
    assert judge_again(parent, store) == 2
    assert list(export_lines(store, parent.id)) == before


def test_the_commands_for_any_run_know_scenarios(stored: Stored, tmp_path: Path) -> None:
    store, parent = stored
    listed = json.loads(osler("runs", "--json", store=store))["runs"]
    assert [(run["examinee"], run["player"]) for run in listed] == [("baseline", "baseline")]

    shown = osler("show", f"{parent.name}:0", store=store)
    for part in ("people", "Mr Hale", "state", "assessed", "executed as", "0:01", "judged by rubric:keyed"):
        assert part in shown

    out = tmp_path / "run.jsonl"
    osler("export", parent.name, "--out", str(out), store=store)
    assert len(out.read_text().splitlines()) == 3
    assert "judged by rubric:keyed" in CliRunner().invoke(app, ["show", f"{out}:0"]).output

    summed = json.loads(osler("runs", "summary", parent.name, "--json", store=store))
    assert summed["clusters"] == 1
    again = json.loads(osler("judge", "run", parent.name, "--json", store=store))
    assert again["judged"] == 2
    assert again["measures"] == summed["measures"]

    branched = json.loads(
        osler("branch", f"{parent.name}:0", "--at", "3", "--examinee", "null", "--json", store=store)
    )
    assert branched["episodes"] == 1
    resumed = json.loads(osler("resume", branched["run"], "--json", store=store))
    assert resumed["measures"] == branched["measures"]


def test_other_judges_judge_by_the_scenarios_own_rubric_or_by_one_from_a_file(
    stored: Stored, tmp_path: Path
) -> None:
    store, parent = stored
    own = json.loads(osler("judge", "run", parent.name, "--judge", "lexical", "--json", store=store))
    assert own["judged"] == 2
    assert own["measures"]["net"]["n"] == 2
    items = {"PC": ["Measures the blood glucose"], "ICS": ["Greets the patient by name"]}
    file = put_rubric(tmp_path, "small-one", "scenario1", items)
    again = json.loads(osler("judge", "run", parent.name, "--rubric", str(file), "--json", store=store))
    assert again["episodes"] == 2


def test_commands_for_consultations_alone_say_so(stored: Stored) -> None:
    _, parent = stored
    with pytest.raises(BadInput, match="a run of scenarios, not of consultations"):
        runs.config_as(parent, RunConfig)


def test_who_nobody_knows_and_prose_without_a_reader_are_refused_before_anything_is_played(
    tmp_path: Path,
) -> None:
    with pytest.raises(BadInput, match="no examinee is called 'hero'"):
        casting_of(CONFIG.model_copy(update={"examinee": "hero"}))
    packets = Path(__file__).parents[2] / "fixtures" / "packets" / "cases"
    with (
        open_store(tmp_path / "osler.db") as store,
        pytest.raises(BadInput, match="built-in players do not read"),
    ):
        runs.begin(ScenarioConfig(cases=str(packets)), store)
