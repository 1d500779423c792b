"""Agreement of a scripted study against figures worked out by hand."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.errors import BadInput
from osler.stats.prediction_powered import corrected_mean
from osler.stats.rank_correlation import rank_correlation
from osler.store.store import Store
from osler.studies.rating.agreement import agreement
from osler.studies.rating.export import SampleRequest, write_export
from osler.studies.rating.figures import ALL_ALIKE, FEWEST, ONE_RATER, TOO_FEW
from osler.studies.rating.importing import import_sheets
from osler.studies.rating.inter_rater import between_raters
from osler.studies.rating.unblinding_key import Behind
from tests.studies.rating.rated import SCALE, Plan, exported, rate, run_of


def study(store: Store, folder: Path, right: int, wrong: int, plan: Plan, **wanted: int) -> None:
    """Export, rate as planned, import."""
    found = exported(store, run_of(store, right, wrong), folder / "out", **wanted)
    done = import_sheets(store, rate(found, plan), found.key)
    assert not done.problems


def test_figures_of_a_study_are_those_worked_out_by_hand(store: Store, tmp_path: Path) -> None:
    """Twelve episodes; the judge finds eight right, one rater the first seven, the other the last one too."""

    def plan(behind: Behind, rater: str, item: str) -> str:
        at = behind.ordinal
        if item != "diagnosis":
            return ""
        return "2" if at < 7 or (at == 11 and rater == "rater-2") else "0"

    study(store, tmp_path, 8, 4, plan)
    found = agreement(store, [store.run("clinic")], SCALE)
    assert (found.episodes, found.rated, found.shared) == (12, 12, 12)
    assert found.raters == {"rater-1": 12, "rater-2": 12}

    raters = found.between_raters["diagnosis"]
    assert raters.exact.value == pytest.approx(11 / 12, abs=1e-6)
    # Observed 11/12; by chance (7 x 8 + 5 x 4) / 144.
    assert raters.kappa["rater-1 / rater-2"].value == pytest.approx(56 / 68, abs=1e-6)
    # Values: 15 of one level and 9 of the other; one pair of twelve differs.
    assert raters.alpha.value == pytest.approx(1 - (1 / 12) / (2 * 15 * 9 / (24 * 23)), abs=1e-6)
    assert raters.alpha.low is not None
    assert raters.icc_single.n == 12
    assert found.between_raters["plan"].alpha.reason == TOO_FEW
    assert found.between_raters["plan"].exact.left_out == 12

    judge = next(one for one in found.with_judges if one.item == "diagnosis")
    assert (judge.grader, judge.score) == ("baseline", "correct")
    assert judge.people.value == pytest.approx(7.5 / 12, abs=1e-6)
    assert judge.judged.value == pytest.approx(8 / 12, abs=1e-6)
    assert judge.corrected.value == pytest.approx(7.5 / 12, abs=1e-6)
    assert judge.correlation.value == pytest.approx(81 / sqrt(96 * 110), abs=1e-6)
    clear = judge.yes_or_no
    assert clear is not None
    assert (clear.agreement.n, clear.agreement.left_out) == (11, 1)
    assert clear.agreement.value == pytest.approx(10 / 11, abs=1e-6)
    assert clear.kappa.value == pytest.approx(42 / 53, abs=1e-6)
    assert (clear.sensitivity.value, clear.sensitivity.n) == (1.0, 7)
    assert (clear.specificity.value, clear.specificity.n) == (0.75, 4)


def test_a_rate_is_corrected_from_the_part_that_was_rated(store: Store, tmp_path: Path) -> None:
    """The judge finds 20 of 24 right; people find seven of the first eight, and half a one of the last four.

    So 0.625 + slope 0.75 x (20/24 - 8/12).
    """

    def plan(behind: Behind, rater: str, item: str) -> str:
        at = behind.ordinal
        if item != "diagnosis" or 8 <= at < 20:
            return ""
        return "2" if at < 7 or (at == 23 and rater == "rater-2") else "0"

    study(store, tmp_path, 20, 4, plan)
    found = agreement(store, [store.run("clinic")], SCALE)
    judge = next(one for one in found.with_judges if one.item == "diagnosis")
    assert (found.episodes, found.rated) == (24, 12)
    assert (judge.people.n, judge.judged.n, judge.corrected.n) == (12, 24, 12)
    assert judge.people.value == 0.625
    assert judge.judged.value == pytest.approx(20 / 24, abs=1e-6)
    assert judge.corrected.value == 0.75
    assert judge.corrected.low is not None


def test_one_rater_agrees_with_nobody(store: Store, tmp_path: Path) -> None:
    study(store, tmp_path, 12, 0, lambda behind, rater, item: "1", raters=1)
    found = agreement(store, [store.run("clinic")], SCALE).between_raters["plan"]
    assert {found.exact.reason, found.alpha.reason, found.icc_single.reason} == {ONE_RATER}
    assert found.kappa == {}


def test_too_few_ratings_bear_no_coefficient(store: Store, tmp_path: Path) -> None:
    study(store, tmp_path, FEWEST - 1, 0, lambda behind, rater, item: "1" if item == "plan" else "")
    found = agreement(store, [store.run("clinic")], SCALE)
    plan = found.between_raters["plan"]
    for one in (plan.alpha, plan.kappa["rater-1 / rater-2"]):
        assert (one.value, one.low, one.reason, one.n) == (None, None, TOO_FEW, FEWEST - 1)
    assert (plan.icc_single.value, plan.icc_single.reason) == (None, TOO_FEW)
    judge = next(one for one in found.with_judges if one.item == "plan")
    assert judge.correlation.reason == judge.corrected.reason == TOO_FEW
    assert judge.people.value == 0.25
    assert judge.yes_or_no is None


def test_ratings_without_any_spread_say_so(store: Store, tmp_path: Path) -> None:
    study(store, tmp_path, 12, 0, lambda behind, rater, item: "1")
    found = agreement(store, [store.run("clinic")], SCALE)
    for item in found.between_raters.values():
        assert item.exact.value == 1
        assert {item.alpha.reason, item.icc_single.reason} == {ALL_ALIKE}
    judge = next(one for one in found.with_judges if one.item == "diagnosis")
    assert judge.yes_or_no is not None
    assert judge.yes_or_no.sensitivity.value is None
    assert judge.yes_or_no.specificity.value == 0


def test_what_the_judge_left_unscored_is_counted(store: Store, tmp_path: Path) -> None:
    study(store, tmp_path, 12, 0, lambda behind, rater, item: "1")
    run = store.run("clinic")
    rows = [one for one in store.judgements(run.id) if one.grader == "baseline"]
    body = rows[0].body.replace('"correct":{"value":1.0', '"correct":{"value":null,"reason":"x"', 1)
    assert body != rows[0].body
    store.put_judgements(run.id, [rows[0]._replace(body=body)])
    judge = next(one for one in agreement(store, [run], SCALE).with_judges if one.item == "diagnosis")
    assert (judge.judged.n, judge.judged.left_out) == (11, 1)
    assert (judge.people.n, judge.people.left_out) == (11, 1)


def test_every_judge_is_held_against_people_by_its_own_scores(store: Store, tmp_path: Path) -> None:
    """A model judge that scores the plan as people do, beside the built-in judge; a second run is unrated."""
    study(
        store, tmp_path, 12, 0, lambda behind, rater, item: str(behind.ordinal % 5) if item == "plan" else ""
    )
    run, more = store.run("clinic"), run_of(store, 3, 1, "more")
    for each, ordinals in ((run, 12), (more, 4)):
        bodies = [f'{{"scores": {{"plan": {{"value": {(n % 5) / 4}}}}}}}' for n in range(ordinals)]
        store.put_judgements(each.id, [(n, "model:m", "1-a", body) for n, body in enumerate(bodies)])
    found = agreement(store, [more, run, run], SCALE)
    assert (found.runs, found.episodes, found.rated) == (("more", "clinic"), 16, 12)
    judges = {(one.grader, one.score): one for one in found.with_judges if one.item == "plan"}
    assert judges.keys() == {("baseline", "management_met"), ("model:m", "plan")}
    model = judges["model:m", "plan"]
    assert (model.correlation.value, model.correlation.n) == (1.0, 12)
    assert model.corrected.value == model.judged.value
    (unsafe,) = (one for one in found.with_judges if (one.item, one.grader) == ("unsafe", "model:m"))
    assert (unsafe.judged.n, unsafe.judged.left_out) == (0, 16)


def test_a_count_is_no_counterpart_of_a_graded_item(store: Store, tmp_path: Path) -> None:
    study(store, tmp_path, 2, 0, lambda behind, rater, item: "1")
    run = store.run("clinic")
    store.put_judgements(run.id, [(0, "model:m", "1-a", '{"scores": {"plan": {"value": 3}}}')])
    with pytest.raises(BadInput, match="plan is 3, which is not a share"):
        agreement(store, [run], SCALE)


def test_ratings_on_another_wording_do_not_count(store: Store, tmp_path: Path) -> None:
    study(store, tmp_path, 2, 0, lambda behind, rater, item: "1")
    other = SCALE.model_copy(update={"guide": "Otherwise."})
    with pytest.raises(BadInput, match="no one has rated") as refused:
        agreement(store, [store.run("clinic")], other)
    assert "another version" in refused.value.hint


def test_each_wording_has_its_own_ratings_whichever_came_last(store: Store, tmp_path: Path) -> None:
    run = run_of(store, 12, 0)
    other = SCALE.model_copy(update={"guide": "Otherwise."})

    def ones(behind: Behind, rater: str, item: str) -> str:
        return "1" if item == "plan" else ""

    def threes(behind: Behind, rater: str, item: str) -> str:
        return "3" if item == "plan" else ""

    for scale, plan in ((SCALE, ones), (other, threes)):
        found = write_export(store, [run], scale, SampleRequest(raters=1), tmp_path / scale.full_version)
        filled = rate(found, plan)
        assert import_sheets(store, filled, found.key).stored == 12
    for scale, share in ((SCALE, 0.25), (other, 0.75)):
        got = agreement(store, [run], scale)
        assert (got.rated, got.other_versions) == (12, 12)
        assert next(one for one in got.with_judges if one.item == "plan").people.value == share


def test_of_a_judge_the_last_version_counts(store: Store, tmp_path: Path) -> None:
    study(store, tmp_path, 12, 0, lambda behind, rater, item: "1")
    run = store.run("clinic")
    for version, value in (("9-new", 0.5), ("1-old", 0.25)):
        body = f'{{"scores": {{"plan": {{"value": {value}}}}}}}'
        store.put_judgements(run.id, [(n, "model:m", version, body) for n in range(12)])
    found = agreement(store, [run], SCALE)
    (plan,) = (one for one in found.with_judges if (one.item, one.grader) == ("plan", "model:m"))
    assert (plan.version, plan.judged.value) == ("1-old", 0.25)


def test_a_run_that_nobody_rated_is_refused(store: Store) -> None:
    with pytest.raises(BadInput, match="osler rate import"):
        agreement(store, [run_of(store, 1, 0)], SCALE)


def test_a_correction_by_hand() -> None:
    """The rated mean, plus slope x (judge's mean of all - of the rated): 0.625 + 0.75 x (20/24 - 8/12)."""
    judged = np.array([1.0] * 8 + [0.0] * 4 + [1.0] * 12)
    rated = np.array([1.0] * 7 + [0.0] * 4 + [0.5] + [np.nan] * 12)
    found = corrected_mean([str(n) for n in range(24)], judged, rated, 1.0)
    assert (found.value, found.n, found.unscored) == (0.75, 12, 12)
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low < 0.75 < found.high <= 1


def test_a_few_ratings_that_all_fit_prove_little() -> None:
    rated = np.array([1.0] * 12 + [np.nan] * 88)
    found = corrected_mean([str(n) for n in range(100)], np.ones(100), rated, 1.0)
    assert found.value == 1
    assert found.low is not None
    assert 0.6 < found.low < 0.9


def test_a_correction_needs_a_few_cases_for_its_interval() -> None:
    judged, rated = np.array([1.0, 0.0] * 10), np.array([1.0, 0.0] * 10)
    found = corrected_mean(["a", "b", "c", "d"] * 5, judged, rated, 1.0)
    assert (found.value, found.low, found.n) == (0.5, None, 20)


def test_raters_who_are_far_apart_agree_less_than_raters_who_are_near() -> None:
    item, cases = SCALE.item("plan"), [str(n) for n in range(15)]
    steady = [[n % 5, n % 5] for n in range(12)]
    near, far = (
        between_raters(item, cases, [*steady, *([0, gap] for _ in range(3))], ["a", "b"]) for gap in (1, 4)
    )
    assert near.exact == far.exact
    assert near.within_one.value == 1
    assert far.within_one.value == 0.8
    for one, other in ((near.alpha, far.alpha), (near.kappa["a / b"], far.kappa["a / b"])):
        assert one.value is not None
        assert other.value is not None
        assert one.value > other.value + 0.2


def test_episodes_of_one_case_tell_less() -> None:
    item, levels = SCALE.item("plan"), [[n % 5, min(n % 5 + (n % 3 == 0), 4)] for n in range(20)]
    apart = between_raters(item, [str(n) for n in range(20)], levels, ["a", "b"])
    together = between_raters(item, [str(n % 3) for n in range(20)], levels, ["a", "b"])
    for one, other in ((apart.alpha, together.alpha), (apart.exact, together.exact)):
        assert one.value == other.value
        assert one.low is not None
        assert other.low is not None
        assert one.low > other.low


def test_a_rater_who_gave_little_does_not_spoil_the_others() -> None:
    item, levels = SCALE.item("plan"), [[n % 5, n % 4, 1 if n < 2 else None] for n in range(15)]
    found = between_raters(item, [str(n) for n in range(15)], levels, ["a", "b", "c"])
    assert (found.icc_single.n, found.alpha.n) == (15, 15)
    assert found.kappa["a / c"].reason == TOO_FEW


def test_corrected_rates_hold_the_truth() -> None:
    """In 300 studies the interval holds the true rate in at least 92 %, whatever the judge is worth."""
    rng = np.random.default_rng(3)
    for right, wrong in ((0.95, 0.1), (0.5, 0.5)):
        held = 0
        for _ in range(300):
            truth = rng.random(200) < 0.6
            judged = np.where(truth, rng.random(200) < right, rng.random(200) < wrong).astype(float)
            rated = np.where(rng.permutation(200) < 30, truth, np.nan)
            found = corrected_mean([str(n) for n in range(200)], judged, rated, 1.0)
            assert found.low is not None
            assert found.high is not None
            held += found.low <= 0.6 <= found.high
        assert held >= 276


def test_a_judge_that_always_says_the_same_changes_nothing() -> None:
    rated = np.array([1.0] * 6 + [0.0] * 6 + [np.nan] * 8)
    found = corrected_mean([str(n) for n in range(20)], np.ones(20), rated, 1.0)
    assert found.value == 0.5


SCORES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=4, max_size=30)


@given(SCORES)
def test_rank_correlation_is_a_correlation(pairs: list[tuple[int, int]]) -> None:
    first, second = (np.array(side, float) for side in zip(*pairs, strict=True))
    names = [str(n) for n in range(len(pairs))]
    found = rank_correlation(first, second, names)
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert found.value is None
        return
    assert found.value is not None
    assert -1 <= found.value <= 1
    assert rank_correlation(second, first, names).value == found.value
    assert rank_correlation(-first, second, names).value == pytest.approx(-found.value)
    assert rank_correlation(first**3 + 1, second, names).value == found.value
    if found.low is not None and found.high is not None:
        assert -1 <= found.low <= found.value <= found.high <= 1
