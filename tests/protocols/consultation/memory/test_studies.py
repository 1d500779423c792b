"""Studies of consultations: the ladder, consultants, biases and twins, played small."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from osler.errors import BadInput
from osler.memory.sql_memory import SqlKeeper
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.memory.episodes_to_lessons import given_in
from osler.protocols.consultation.memory.retrieval_log import audit_run
from osler.reports.study_html import study_html
from osler.runs import run as runs
from osler.store.export import export_lines
from osler.store.records import RunInfo
from osler.store.store import open_store
from osler.studies.study.design import Study, packaged, study_named
from osler.studies.study.reporting import study_report
from osler.studies.study.running import RunOptions, StudyResult, conditions, run_study

FEW = RunOptions("generated:3:2")
OURS = ("ladder", "retrieval", "mdt", "bias", "patient-bias", "twins")


def played(study: Study, store: Path, given: RunOptions, page: list[str] | None = None) -> StudyResult:
    with open_store(store) as opened:

        def sit(name: str, config: Any, find: Callable[[Any, Any], RunInfo]) -> runs.Session:
            return runs.play(find(config, None), opened)

        found = run_study(study, given, opened, sit)
        if page is not None:
            page.append(study_html(study_report(study, found, opened)))
        return found


def small(name: str, *kept: str) -> Study:
    """A shipped study with a few of its levels."""
    study = study_named(name)
    factors = {
        key: tuple(level for level in levels if level in kept) for key, levels in study.factors.items()
    }
    return study.model_copy(update={"factors": factors})


def test_all_of_them_ship_and_can_be_played() -> None:
    assert set(OURS) <= {study.name for study in packaged()}
    for name in OURS:
        for doctor in ("baseline", "model:x"):
            found = conditions(study_named(name), RunOptions(seats={"doctor": doctor}))
            assert all(config.players()["doctor"].startswith(doctor) for config in found.values())


@pytest.mark.slow
def test_the_ladder_climbs_from_no_tests_to_votes_and_learns_from_other_cases_only(tmp_path: Path) -> None:
    page: list[str] = []
    given = RunOptions("generated:12:3", seats={"doctor": "baseline-naive"}, seed=4)
    found = played(study_named("ladder"), tmp_path / "o.db", given, page)
    rungs = list(found.conditions)
    assert rungs == ["baseline", "+ measurement", "+ memory", "+ chain of thought", "+ ensemble"]
    assert found.conditions["baseline"].figures()["tests"].value == 0
    assert found.conditions["+ measurement"].figures()["tests"].value != 0
    assert [(one.condition, one.against) for one in found.contrasts if one.figure == "turns"] == [
        ("+ measurement", "baseline"),
        ("+ memory", "+ measurement"),
        ("+ chain of thought", "+ memory"),
        ("+ ensemble", "+ chain of thought"),
    ]
    assert (found.primary.figure, found.primary.condition) == ("accuracy", "+ ensemble")
    assert "The ladder of experience" in page[0]
    with open_store(tmp_path / "o.db") as store:
        remembering = store.run(found.runs["+ memory"])
        assert remembering.manifest["configuration"]["memory"]["snapshot"]
        audit = audit_run(remembering, store)
        assert audit.clean
        memory = remembering.manifest["configuration"]["memory"]
        assert (memory["progress"], memory["looks"]) == (True, ["conclusion"])
        cards = SqlKeeper(store.engine).load(memory["snapshot"]).cards
        dealt = {
            (episode.ordinal, cards[name].origin.position)
            for episode, trace in store.traces(remembering.id)
            for name in given_in(trace)
        }
        assert dealt
        assert all(position < ordinal for ordinal, position in dealt), "no later case to an earlier one"
        assert "feedback gold" in found.note
    assert played(study_named("ladder"), tmp_path / "o.db", given) == found, "the same command asks nobody"


@pytest.mark.slow
def test_retrieval_is_compared_on_the_same_memory(tmp_path: Path) -> None:
    found = played(study_named("retrieval"), tmp_path / "o.db", RunOptions("generated:16:3", seed=2))
    assert list(found.conditions) == ["none", "lexical", "nearest", "fused"]
    pairs = {(one.condition, one.against) for one in found.contrasts}
    assert {("lexical", "none"), ("nearest", "lexical"), ("fused", "lexical")} <= pairs
    with open_store(tmp_path / "o.db") as store:
        uses = {
            name: store.run(run).manifest["configuration"]["memory"]
            for name, run in found.runs.items()
            if name != "none"
        }
        assert {name: use["by"] for name, use in uses.items()} == {name: name for name in uses}
        assert len({use["snapshot"] for use in uses.values()}) == 1
        for name in uses:
            assert audit_run(store.run(found.runs[name]), store).clean
    assert "know no meaning" in found.note


def test_how_a_memory_is_searched_can_be_given_for_a_study_with_one() -> None:
    by_vectors = RunOptions(memory={"by": "nearest"})
    found = conditions(study_named("ladder"), by_vectors)["+ memory"]
    assert isinstance(found, RunConfig)
    assert found.memory
    assert (found.memory.by, found.memory.looks) == ("nearest", ("conclusion",))
    with pytest.raises(BadInput, match="no condition of this study has a memory"):
        conditions(study_named("mdt"), by_vectors)


@pytest.mark.parametrize(("study", "how"), [("ladder", {"looks": ["start"]}), ("retrieval", {"by": "fused"})])
def test_what_every_condition_sets_itself_is_not_given_for_it_in_vain(
    study: str, how: dict[str, Any]
) -> None:
    with pytest.raises(BadInput, match="says itself how it is searched"):
        conditions(study_named(study), RunOptions(memory=how))


def test_an_embedder_is_given_to_the_conditions_that_compare_vectors() -> None:
    """What `--embedder model:embeds` gives, with the search it implies."""
    given = RunOptions(memory={"by": "nearest", "embedder": "model:embeds"})
    found = conditions(study_named("retrieval"), given)
    memories = {name: one.memory for name, one in found.items() if isinstance(one, RunConfig) and one.memory}
    assert {name: (one.by, one.embedder) for name, one in memories.items()} == {
        "lexical": ("lexical", ""),
        "nearest": ("nearest", "model:embeds"),
        "fused": ("fused", "model:embeds"),
    }


def test_the_same_study_in_another_store_is_the_same_bytes(tmp_path: Path) -> None:
    lines = []
    for name in ("one", "two"):
        found = played(study_named("ladder"), tmp_path / f"{name}.db", RunOptions("generated:4:3"))
        with open_store(tmp_path / f"{name}.db") as store:
            lines.append([list(export_lines(store, store.run(run).id)) for run in found.runs.values()])
    assert lines[0] == lines[1]


def test_what_a_consultant_costs_is_counted_pair_by_pair(tmp_path: Path) -> None:
    found = played(study_named("mdt"), tmp_path / "o.db", RunOptions("library", limit=2))
    figures = {name: one.figures() for name, one in found.conditions.items()}
    assert figures["off"]["consults"].value == 0
    always = figures["always"]["consults"].value
    assert always is not None
    assert always >= 1
    assert figures["off"]["calls"].value == 0, "built-in players call no model"
    turns = next(one for one in found.contrasts if one.figure == "turns" and one.condition == "always")
    assert turns.n_pairs == 2
    assert turns.value is not None
    assert turns.value >= 1


def test_a_bias_is_compared_with_the_same_doctor_without_it_and_drawn(tmp_path: Path) -> None:
    study = small(
        "bias", "as named", "+cot", "none", "doctor/confirmation/strong", "doctor/status quo/strong"
    )
    page: list[str] = []
    found = played(study, tmp_path / "o.db", RunOptions("generated:10:2"), page)
    pairs = {(one.condition, one.against) for one in found.contrasts}
    assert ("+cot/doctor/status quo/strong", "+cot/none") in pairs, "what the bias costs"
    assert ("+cot/doctor/status quo/strong", "as named/doctor/status quo/strong") in pairs, "before and after"
    assert ("+cot/none", "as named/none") in pairs
    assert not any(one == other for one, other in pairs)
    assert "say nothing about people" in found.note
    assert found.note in page[0]
    assert ">status quo</text>" in page[0], "what all levels share is left out, so that no corner is cut"
    assert page[0].count("<svg") > 4
    assert "By bias" in page[0]
    assert found.primary.value is not None
    assert found.primary.value <= 0


def test_the_condition_without_a_bias_is_the_unbiased_run_byte_for_byte(tmp_path: Path) -> None:
    found = played(small("bias", "as named", "none", "doctor/confirmation/strong"), tmp_path / "o.db", FEW)
    with open_store(tmp_path / "o.db") as store:
        plain = runs.begin(RunConfig(cases=FEW.cases), store)
        runs.play(plain, store)
        both = [store.run(name) for name in (found.runs["as named/none"], plain.name)]
        episodes = [list(store.traces(run.id)) for run in both]
        assert [trace for _, trace in episodes[0]] == [trace for _, trace in episodes[1]]
        assert [row.key for row, _ in episodes[0]] == [row.key for row, _ in episodes[1]]
        assert list(store.judgements(both[0].id)) == list(store.judgements(both[1].id))


def test_twins_differ_only_in_what_a_bias_meets(tmp_path: Path) -> None:
    study = study_named("twins")
    kept = [name for name in study.conditions if name.startswith(("income", "gender:"))]
    update = {
        "conditions": {name: study.conditions[name] for name in kept},
        "against": {name: other for name, other in study.against.items() if name in kept},
        "primary": study.primary.model_copy(
            update={
                "condition": "income, biased doctor: on assistance",
                "against": "income, biased doctor: well off",
            }
        ),
    }
    found = played(study.model_copy(update=update), tmp_path / "o.db", RunOptions("generated:12:1"))
    by = {(one.figure, one.condition): one for one in found.contrasts}
    assert by["turns", "income: on assistance"].value == 0, "the built-in doctor reads no form"
    assert by["turns", "income, biased doctor: on assistance"].value != 0
    gender = by["accuracy", "gender: female"]
    assert gender.n_pairs + gender.unscored == 12
    assert gender.n_pairs > 6


def test_what_is_not_played_before_cannot_be_remembered() -> None:
    study = study_named("ladder")
    late = {name: study.conditions[name] for name in ("baseline", "+ memory", "+ measurement", "+ ensemble")}
    odd = study.model_copy(update={"conditions": late})
    with pytest.raises(BadInput, match="learns from no condition that is played before it"):
        conditions(odd, RunOptions())


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"primary": {"figure": "learning_gain", "condition": "a", "against": "b"}}, "has no figure"),
        ({"against": {"a": "c"}}, "there is no condition 'c'"),
    ],
)
def test_a_study_that_does_not_hold_together_is_refused(changes: dict[str, Any], says: str) -> None:
    whole: dict[str, Any] = {
        "name": "x",
        "title": "x",
        "question": "x?",
        "protocol": "consultation",
        "conditions": {"a": {}, "b": {"doctor": "null"}},
        "primary": {"figure": "accuracy", "condition": "a", "against": "b"},
    }
    assert Study.model_validate(whole)
    with pytest.raises(ValidationError, match=says):
        Study.model_validate({**whole, **changes})


def test_a_file_nested_too_deeply_is_refused_in_words(tmp_path: Path) -> None:
    deep = tmp_path / "deep.yaml"
    deep.write_text("a: " + "[" * 5000 + "]" * 5000, encoding="utf-8")
    with pytest.raises(BadInput, match="nested too deeply"):
        study_named(str(deep))
