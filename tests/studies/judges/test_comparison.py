"""Judges of the same encounters beside each other: a biased one is exposed by the figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from osler.errors import BadInput
from osler.store.store import Store
from osler.studies.judges.comparison import JudgeComparison, OfScore, compare_judges
from osler.studies.rating.figures import Figure
from tests.reports.stored_runs import Episode, write_run
from tests.studies.judges.scripted import CASES, JUDGES, judged, two_runs


def compared(store: Store, labelled: int = 60) -> tuple[JudgeComparison, OfScore]:
    found = compare_judges(two_runs(store, labelled), store, list(JUDGES), width=0.3)
    (one,) = found.scores
    return found, one


def holds(found: Figure, value: float) -> bool:
    assert found.low is not None
    assert found.high is not None
    return found.low <= value <= found.high


def test_a_judge_that_likes_length_is_exposed(store: Store) -> None:
    _, one = compared(store)
    by_judge = {each.judge: each for each in one.length}
    liking = by_judge["length"]
    assert liking.minus_people is not None
    assert liking.minus_people.n == 120
    assert liking.minus_people.low is not None
    assert liking.minus_people.low > 0.2
    assert liking.minus_others.low is not None
    assert liking.minus_others.low > 0.1, "seen without labels, too"
    fair = by_judge["fair"].minus_people
    assert fair is not None
    assert holds(fair, 0)


def test_a_judge_that_favours_a_player_is_exposed_and_labels_correct_it(store: Store) -> None:
    """Both players are right equally often; the partial judge finds the second better."""
    _, one = compared(store)
    by_judge = {each.judge: each for each in one.between_runs}
    assert list(by_judge) == [*JUDGES, "jury"]
    partial, fair = by_judge["partial"], by_judge["fair"]
    assert partial.difference is not None
    assert partial.difference.low is not None
    assert partial.difference.low > 0.1, "what it says is plainly wrong"
    assert fair.difference is not None
    assert fair.difference.low is not None
    assert fair.difference.low < 0
    for each in (partial, fair):
        assert each.corrected is not None
        assert each.corrected.low is not None
        assert each.corrected.high is not None
        assert each.corrected.low < 0 < each.corrected.high
        assert each.corrected.n == 120
        assert each.plan is not None
        assert each.plan.cases is not None
        assert 60 <= each.plan.cases <= CASES
    assert by_judge["jury"].corrected is None


def test_the_swap_table_has_the_headline_under_each_judge_and_every_paired_difference(store: Store) -> None:
    _, one = compared(store)
    headlines = {(each.run, each.judge): each.estimate for each in one.headlines}
    assert len(headlines) == 6
    assert all(each.n == CASES for each in headlines.values())
    assert headlines["first", "partial"].value == 0.5, "of the first player it tells right from wrong"
    second = headlines["second", "partial"].value
    assert second is not None
    assert second > 0.7
    pairs = {(each.first, each.second): each for each in one.pairs}
    assert list(pairs) == [("fair", "length"), ("fair", "partial"), ("length", "partial")]
    for pair in pairs.values():
        first, other = (
            sum((headlines[run, judge].value or 0) for run in ("first", "second")) / 2
            for judge in (pair.first, pair.second)
        )
        assert pair.difference.value == pytest.approx(other - first, abs=1e-5)
        held = pair.agreement
        assert held.kappa is not None
        assert held.ac1 is not None
        assert held.same is not None
        assert (held.icc, held.kappa.n) == (None, 2 * CASES)
        assert held.kappa.value is not None
        assert held.same.value is not None
        assert held.kappa.value < held.same.value


def test_a_jury_of_three_goes_by_majority_and_is_nearer_the_truth_than_a_biased_judge(store: Store) -> None:
    _, one = compared(store, 0)
    jury = one.jury
    assert jury is not None
    assert jury.by == "majority"
    headline = jury.headlines["second"].value
    partial = next(each.estimate for each in one.headlines if (each.run, each.judge) == ("second", "partial"))
    assert headline is not None
    assert partial.value is not None
    assert abs(headline - 0.5) < abs(partial.value - 0.5)
    assert jury.unanimous.value is not None
    assert jury.spread.value == pytest.approx(1 - jury.unanimous.value, abs=1e-5), "0 or 1, so one or none"
    assert one.labelled == 0
    assert all(each.minus_people is None for each in one.length)
    two = compare_judges([store.run("first")], store, ["fair", "length"]).scores[0]
    assert two.jury is not None
    assert two.jury.by == "mean", "of two there is no majority"
    assert two.between_runs == ()


def test_marks_agree_by_icc_and_a_constant_shift_lowers_it(store: Store) -> None:
    run = write_run(store, *(Episode(specialty=f"s{n}") for n in range(30)), name="marks")
    judged(store, run, "one", {n: {"style": 1.0 + n % 8} for n in range(30)})
    judged(store, run, "other", {n: {"style": 3.0 + n % 8} for n in range(30)})
    (found,) = compare_judges([run], store, ["one", "other"]).scores
    (pair,) = found.pairs
    assert (found.score, found.kind) == ("style", "mark")
    assert pair.agreement.kappa is None
    assert pair.agreement.ranks is not None
    assert pair.agreement.ranks.value == 1
    assert pair.agreement.icc is not None
    assert pair.agreement.icc.value is not None
    assert pair.agreement.icc.value < 0.8, "they rank alike and do not mean the same"
    assert pair.difference.value == 2
    assert found.jury is not None
    assert found.jury.by == "mean"
    assert found.jury.headlines["marks"].value == pytest.approx(sum(2 + n % 8 for n in range(30)) / 30)
    assert found.jury.spread.value == 2


def test_what_one_judge_left_unscored_is_counted_and_has_no_jury(store: Store) -> None:
    run = write_run(store, *(Episode(specialty=f"s{n}") for n in range(20)), name="gaps")
    judged(store, run, "all", {n: {"correct": float(n % 2)} for n in range(20)})
    judged(store, run, "some", {n: {"correct": None if n < 4 else float(n % 2)} for n in range(20)})
    one = compare_judges([run], store, ["all", "some"]).scores[0]
    assert [(each.estimate.n, each.estimate.unscored) for each in one.headlines] == [(20, 0), (16, 4)]
    (pair,) = one.pairs
    assert (pair.difference.n_pairs, pair.difference.unscored) == (16, 4)
    assert pair.agreement.same is not None
    assert (pair.agreement.same.value, pair.agreement.same.n, pair.agreement.same.left_out) == (1, 16, 4)
    assert one.jury is not None
    headline = one.jury.headlines["gaps"]
    assert (headline.n, headline.unscored) == (16, 4)


def test_two_versions_of_one_judge_are_set_side_by_side(store: Store) -> None:
    run = write_run(store, *(Episode(specialty=f"s{n}") for n in range(20)), name="pinned")
    judged(store, run, "fair", {n: {"correct": float(n % 2)} for n in range(20)}, "1-old")
    judged(store, run, "fair", {n: {"correct": float(n % 4 == 1)} for n in range(20)}, "2-new")
    found = compare_judges([run], store, ["fair@1", "fair@2"])
    assert found.judges == {"fair@1": ("1-old",), "fair@2": ("2-new",)}
    (pair,) = found.scores[0].pairs
    assert (pair.difference.first, pair.difference.second) == (0.5, 0.25)


def test_a_family_shared_with_a_player_or_another_judge_is_flagged(store: Store) -> None:
    run = write_run(
        store,
        *(Episode(specialty=f"s{n}") for n in range(12)),
        doctor="model:a",
        models={"a": "llama-3.1-8b"},
    )
    for grader, model in (("model:b", "meta-llama/Llama-3.3-70B"), ("model:c", "gpt-4o")):
        asked = {"seat": "", "endpoint": grader, "model": model, "status": "ok"}
        for n in range(12):
            judged(store, run, grader, {n: {"correct": float(n % 2)}})
        body = {
            "grader": grader,
            "version": "1",
            "scores": {"correct": {"value": 1.0, "reason": "", "evidence": []}},
        }
        store.put_judgements(run.id, [(0, grader, "1", json.dumps(body))], [asked])
    found = compare_judges([run], store)
    assert found.families["model:b"] == ("llama",)
    assert found.families["model:c"] == ("gpt",)
    assert found.kinship == ("doctor and judge model:b share models of one family, llama",)


def test_one_judge_is_refused_and_so_is_a_score_that_one_gives(store: Store) -> None:
    run = write_run(store, *(Episode(specialty=f"s{n}") for n in range(4)), name="alone")
    with pytest.raises(BadInput, match="baseline has judged what is compared, and two judges are needed"):
        compare_judges([run], store)
    judged(store, run, "other", {n: {"style": 3.0} for n in range(4)})
    with pytest.raises(BadInput, match="no score is given by two"):
        compare_judges([run], store)
    with pytest.raises(BadInput, match="other of baseline, other gives 'style'"):
        compare_judges([run], store, scores=["style"])
    with pytest.raises(BadInput, match="has not judged alone"):
        compare_judges([run], store, ["baseline", "nobody"])


def test_runs_that_cannot_be_compared_fairly_are_refused_and_their_judges_are_not(store: Store) -> None:
    first, _ = two_runs(store)
    other = write_run(store, *(Episode(specialty=f"s{n}", says="x") for n in range(12)), name="other", seed=9)
    for grader in JUDGES:
        judged(store, other, grader, {n: {"correct": 1.0} for n in range(12)})
    one = compare_judges([first, other], store, list(JUDGES)).scores[0]
    assert all(each.refused and each.difference is None for each in one.between_runs)
    assert len(one.pairs) == 3


def test_the_command_says_it_in_words_and_as_one_object(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two_runs(store, 60)
    monkeypatch.chdir(tmp_path)
    words = ["judge", "compare", "first", "second", "--judge=fair", "--judge=partial", "--store=osler.db"]
    done = CliRunner().invoke(app, [*words, "--width=0.25"])
    assert done.exit_code == 0, done.output
    shown = " ".join(done.stdout.split())
    for text in ("second minus first, partial:", "labels by people correct it", "Order: not checked"):
        assert text in shown
    value = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert value["runs"] == ["first", "second"]
    assert value["scores"][0]["pairs"][0]["agreement"]["kappa"]["n"] == 2 * CASES
    alone = CliRunner().invoke(app, [*words[:4], "--judge=fair", "--store=osler.db"])
    assert alone.exit_code == 1
    assert "two judges are needed" in alone.stderr
