"""Figures over runs of scenarios: what is one cluster, what repeats say, what is left unscored."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from osler.cases.rubrics.model import Traits
from osler.cases.scenarios.model import RubricLine, Scenario
from osler.core.measure import Scored
from osler.errors import Status
from osler.judging.rubric import lexical
from osler.judging.rubric.judgement import RubricJudgement, unscored
from osler.judging.rubric.scores import Verdict
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.scenario.debriefing import Examined, debriefed, first_missed
from osler.protocols.scenario.judge.keyed import rubric_of
from osler.protocols.scenario.notes import ScenarioNoteTaker
from osler.reports.debriefing import sections_in_words
from osler.runs import run as runs
from osler.runs.judged_episodes import Grader
from osler.runs.rejudging import judge_again
from osler.runs.totals import NOT_JUDGED, totals
from osler.store.records import EpisodeRow
from osler.store.store import open_store
from tests.protocols.scenario.playing import judged, move, played, small

RIGHT, WRONG = (True, True, False), (False, True, False)


def notes(*plays: tuple[bool, ...]) -> Mapping[str, Any]:
    """The notes on repeats of one scenario with these verdicts, the last for all that follow."""
    taker, rubric = ScenarioNoteTaker(), rubric_of(small())
    row = EpisodeRow(0, "", "one", "one", Status.COMPLETED, "", 0, 0, {}, "[]", None, None)
    for holds in plays:
        filled = (*holds, *[holds[-1]] * len(rubric.items))
        verdicts = tuple(Verdict(item.id, held) for item, held in zip(rubric.items, filled, strict=False))
        made = RubricJudgement("test", "1", rubric, verdicts)
        taker.add(Scored(row, {}, lambda: played([]), made), "one")
    return taker.notes({}).value


def test_pass_k_is_over_repeats_of_a_scenario() -> None:
    found = notes(RIGHT, RIGHT, WRONG)["pass_k"]
    assert {k: each["value"] for k, each in found.items()} == {
        "1": pytest.approx(2 / 3, abs=1e-6),
        "2": pytest.approx(1 / 3, abs=1e-6),
        "3": 0.0,
    }
    assert notes(RIGHT)["pass_k"] == {}


def test_agreement_is_the_share_of_the_commonest_verdict() -> None:
    assert notes((True,), (True,))["agreement"]["value"] == 1.0
    one_apart = notes((True,), (False, True))["agreement"]["value"]
    assert one_apart == pytest.approx(1 - 0.5 / len(small().rubric))
    assert notes((True,))["agreement"] is None


def run_of(tmp_path: Path, *scenarios: Scenario, **config: object) -> tuple[ScenarioConfig, Path]:
    """A folder of scenarios, and a configuration that plays it."""
    folder = tmp_path / "scenarios"
    folder.mkdir()
    for number, scenario in enumerate(scenarios):
        (folder / f"{number}.json").write_text(scenario.model_dump_json(exclude_defaults=True))
    wanted = ScenarioConfig.model_validate({"cases": str(folder), "examinee": "null", **config})
    return wanted, tmp_path / "runs.db"


def copy_of(case_id: str, **changes: object) -> Scenario:
    return small().model_copy(update={"case_id": case_id, **changes})


def test_completion_of_a_play_without_fault_is_below_all_and_the_notes_say_so(tmp_path: Path) -> None:
    negative = sum(line.traits.negative for line in small().rubric)
    assert negative
    config, at = run_of(tmp_path, copy_of("first"), examinee="oracle")
    with open_store(str(at)) as store:
        found = totals(runs.play(runs.begin(config, store), store).run, store)
    reachable = 1 - negative / len(small().rubric)
    assert found.notes.value["completion_reachable"] == pytest.approx(reachable)
    assert found.measures["completion_micro"].value == pytest.approx(reachable)
    assert found.measures["net"].value == 1.0
    assert "a play without fault reaches" in " ".join(found.notes.lines)


def test_where_no_item_counts_against_anybody_nothing_is_said_of_it(tmp_path: Path) -> None:
    good = tuple(line for line in small().rubric if not line.traits.negative)
    config, at = run_of(tmp_path, copy_of("first", rubric=good))
    with open_store(str(at)) as store:
        found = totals(runs.play(runs.begin(config, store), store).run, store)
    assert found.notes.value["completion_reachable"] == 1.0
    assert found.notes.lines == ()


def test_near_duplicates_and_parts_of_one_case_are_one_cluster(tmp_path: Path) -> None:
    other = [line.model_copy(update={"text": f"Something else {n}"}) for n, line in enumerate(small().rubric)]
    scenarios = [
        copy_of("first"),
        copy_of("second"),  # the same items in another case
        copy_of("third", rubric=tuple(other), specialty=None),
    ]
    config, at = run_of(tmp_path, *scenarios, repeats=2)
    with open_store(str(at)) as store:
        found = totals(runs.play(runs.begin(config, store), store).run, store)
    assert (found.measures["net"].n, found.clusters) == (6, 2)
    specialties = found.groups["specialty"]
    assert specialties.keys() == {"Emergency medicine", "not stated"}
    assert (specialties["not stated"].headline.n, specialties["not stated"].clusters) == (2, 1)


def test_what_a_judge_has_not_judged_is_unscored(tmp_path: Path) -> None:
    config, at = run_of(tmp_path, small())
    with open_store(str(at)) as store:
        run = runs.play(runs.begin(config, store), store).run
        before = totals(run, store, Grader(lexical.GRADER))
        by_words = next(judge for judge in config.plays.judges if judge.name == "lexical")
        assert judge_again(run, store, by_words) == 1
        after = totals(run, store, Grader(lexical.GRADER))
        assert {name.split()[0] for name in totals(run, store).graders} == {"rubric:keyed"}
    assert before.unscored_because["net"] == {NOT_JUDGED: 1}
    assert (before.measures["net"].n, before.measures["net"].unscored) == (0, 1)
    assert (after.measures["net"].n, after.measures["net"].unscored) == (1, 0)
    assert {name.split()[0] for name in after.graders} == {"rubric:lexical"}


# The report for a person


def test_a_report_quotes_every_item_and_hides_no_control_characters() -> None:
    moves = [move("My name is \x1b[31mDr Lane. Which tablets?", "measure the glucose")]
    found = debriefed(Examined(small(), played(moves), judged(moves)))
    marked = [one for part in found.sections for one in part.entries if one.mark]
    assert len(marked) == len({one.item for one in marked}) == len(small().rubric)
    report = sections_in_words(found)
    lines = [line for entries in report.values() for entry in entries for line in entry.split("\n")]
    assert 'turn 1: "measure the glucose"' in lines
    missed = lines.index(
        "not seen: Gives intravenous glucose (or intramuscular glucagon) before the patient fits (critical)"
    )
    assert lines[missed + 1].endswith('Which tablets?", "measure the glucose"')
    assert "its moment never came" in lines, "he was not awake to be told"
    assert not any("\x1b" in line for line in lines)
    assert list(report)[-2:] == ["take_away", "sources"]


def test_where_to_try_again() -> None:
    moves = [move("Hm."), move("", "give 100 mL of glucose 20 % iv"), move("", eos=True)]
    trace = played(moves)
    point = first_missed(Examined(small(), trace, judged(moves)))
    assert point is not None
    assert point.item.startswith("Measures the blood glucose")
    assert point.keep == 0
    assert trace.outcome.status is Status.COMPLETED


def test_an_item_whose_moment_never_came_is_not_where_to_try_again_first() -> None:
    def critical(line: RubricLine) -> RubricLine:
        explains = line.text.startswith("Explains to the patient")
        return line.model_copy(update={"traits": Traits(critical=True)}) if explains else line

    explaining = small().model_copy(update={"rubric": tuple(map(critical, small().rubric))})
    late = [move("Hm."), move("", "give 8 units of insulin iv")]
    point = first_missed(Examined(explaining, played(late), judged(late, explaining)))
    assert point is not None
    assert point.item.startswith("Measures the blood glucose"), "he was not awake to be told"
    treated = [move("", "measure the glucose", "give glucose iv")]
    point = first_missed(Examined(explaining, played(treated), judged(treated, explaining)))
    assert point is not None
    assert point.item.startswith("Explains")
    assert point.keep > 0


def test_an_item_that_names_no_state_is_due_from_the_first_turn() -> None:
    anywhen = tuple(line.model_copy(update={"when": None}) for line in small().rubric)
    scenario = small().model_copy(update={"rubric": anywhen})
    found = debriefed(Examined(scenario, played([move("Hm.")]), judged([move("Hm.")], scenario)))
    (entry, *_) = sections_in_words(found)["MK_missed"]
    assert entry.endswith('due from turn 1: "Hm."')


def test_harm_is_taken_back_before_the_turn_of_its_quote() -> None:
    moves = [
        move("", "measure the glucose", "give glucose iv"),
        move("", "give 8 units of insulin iv", eos=True),
    ]
    trace = played(moves)
    point = first_missed(Examined(small(), trace, judged(moves)))
    assert point is not None
    second = [row.n for row in trace.rows if row.seat == "examinee"][1]
    assert point.keep == second - 1


def test_nothing_to_try_again_where_nothing_critical_went_wrong() -> None:
    moves = [move("", "measure the glucose", "give glucose iv", eos=True)]
    assert first_missed(Examined(small(), played(moves), judged(moves))) is None
    rubric = rubric_of(small())
    nobody = RubricJudgement("test", "1", rubric, unscored(rubric, "simulator_fault"))
    assert first_missed(Examined(small(), played(moves), nobody)) is None
    (line,) = sections_in_words(debriefed(Examined(small(), played(moves), nobody)))["MK_missed"]
    assert "no verdict (simulator_fault)" in line
