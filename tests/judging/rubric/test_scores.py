"""The rules from verdicts to scores, and from episodes to figures."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.rubrics.model import Rubric
from osler.judging.rubric.figures import Judged, figures, figures_by_competency
from osler.judging.rubric.judgement import rubric_judgement_of
from osler.judging.rubric.published import final_evaluation
from osler.judging.rubric.scores import CONTRADICTION, EMPTY, NO_CRITICAL, NO_HARM, NO_POSITIVE, scored
from tests.cases.rubrics.samples import published_of, rubric_of
from tests.judging.rubric.scenes import judgement, verdicts

MIXED = rubric_of("Washes hands", "Asks about pain (3 points)", "Uses jargon", "Fails to greet (2 points)")
LEVELS = rubric_of("Washes hands", "Excellent: explains", "Fair: mentions", "Poor: silent")
CRITICAL = rubric_of("Calls for help (critical)", "Gives adenosine (critical error)", "Uses jargon")


def net(rubric: Rubric, *holds: bool | None) -> float | None:
    """The net score of these verdicts."""
    return scored(rubric.items, verdicts(rubric, *holds)).net.value


def test_plain_completion_counts_negatives_as_published_and_net_takes_them_off() -> None:
    scores = scored(MIXED.items, verdicts(MIXED, True, True, True, True))
    assert scores.completion.value == 1
    assert scores.net.value == (1 + 3 - 1 - 2) / 4
    assert net(MIXED, True, True, False, False) == 1
    assert net(MIXED, False, False, True, True) == -0.75, "one episode is not clipped"


def test_levels_count_once_by_the_highest_that_is_met() -> None:
    assert net(LEVELS, True, True, False, False) == 1
    assert net(LEVELS, True, True, True, False) == 1
    assert net(LEVELS, True, False, True, False) == 0.75
    assert net(LEVELS, True, False, False, True) == 0.5, "the lowest level earns nothing"
    assert net(LEVELS, True, False, False, False) == 0.5
    assert scored(LEVELS.items, verdicts(LEVELS, True, True, False, True)).net.reason == CONTRADICTION


def test_critical_and_harm_stand_apart_and_are_not_hidden_by_what_is_unscored() -> None:
    def of(*holds: bool | None) -> tuple[float | None, float | None, float | None]:
        scores = scored(CRITICAL.items, verdicts(CRITICAL, *holds))
        return scores.critical.value, scores.harm.value, scores.net.value

    assert of(True, False, False) == (1, 0, 1)
    assert of(True, True, False) == (0, 1, 0)
    assert of(True, False, True) == (1, 1, 0)
    assert of(False, None, None) == (0, None, None)
    assert of(None, True, None) == (0, 1, None)
    assert of(None, False, False) == (None, 0, None)
    assert of(True, None, False) == (None, None, None)


def test_left_undone_is_no_harm() -> None:
    rubric = rubric_of("Washes hands", "Fails to greet")
    assert scored(rubric.items, verdicts(rubric, False, True)).harm.reason == NO_HARM


def test_nothing_to_score_says_so() -> None:
    empty = rubric_of(case_id="none").model_copy(update={"items": ()})
    assert {score.reason for score in scored((), {})} == {EMPTY, NO_CRITICAL, NO_HARM}
    assert empty.items == ()
    only = rubric_of("Uses jargon")
    assert scored(only.items, verdicts(only, True)).net.reason == NO_POSITIVE


@given(st.lists(st.sampled_from([True, False, None]), min_size=4, max_size=4))
def test_one_item_without_a_verdict_leaves_no_score(holds: list[bool | None]) -> None:
    scores = scored(MIXED.items, verdicts(MIXED, *holds))
    assert (scores.completion.value is None) == (None in holds) == (scores.net.value is None)
    if None not in holds:
        assert scores.completion.value == sum(map(bool, holds)) / 4


@given(st.lists(st.booleans(), min_size=4, max_size=4), st.integers(0, 3))
def test_net_never_falls_by_a_positive_item_nor_rises_by_a_negative_one(holds: list[bool], at: int) -> None:
    off, on = ([*holds[:at], value, *holds[at + 1 :]] for value in (False, True))
    less, more = net(MIXED, *off), net(MIXED, *on)
    assert less is not None
    assert more is not None
    assert (more < less) if MIXED.items[at].traits.negative else (more > less)


def test_a_judgement_is_of_exactly_the_items_or_an_error() -> None:
    whole = judgement(MIXED, True, True, False, False)
    for wrong in (whole.verdicts[:-1], (*whole.verdicts, whole.verdicts[0]), whole.verdicts[::-1]):
        with pytest.raises(ValueError, match="every item"):
            type(whole)(whole.grader, whole.version, whole.rubric, wrong)


def test_a_judgement_survives_the_store_and_is_refused_for_another_rubric() -> None:
    whole = judgement(CRITICAL, True, None, False)
    text = whole.stored.body
    assert rubric_judgement_of(text, CRITICAL) == whole
    with pytest.raises(ValueError, match="another rubric"):
        rubric_judgement_of(text, MIXED)
    heavier = CRITICAL.with_traits([item.traits.model_copy(update={"weight": 2}) for item in CRITICAL.items])
    with pytest.raises(ValueError, match="another rubric"):
        rubric_judgement_of(text, heavier)
    assert json.loads(text)["scores"]["completion"]["value"] is None


# Figures


def test_micro_weighs_items_and_macro_episodes() -> None:
    small, large = rubric_of("Washes hands", case_id="a"), rubric_of("A b", "C d", "E f", case_id="b")
    found = figures([Judged("a", judgement(small, True)), Judged("b", judgement(large, False, False, True))])
    assert found.completion_micro.value == 0.5
    assert found.completion_macro.value == pytest.approx((1 + 1 / 3) / 2, abs=1e-6)
    assert (found.items, found.completion_micro.n, found.completion_micro.clusters) == (4, 2, 2)


def test_repeats_and_near_duplicates_tell_little_new() -> None:
    """The same verdicts in one cluster leave a wider interval than in many."""
    rubric = rubric_of("Washes hands", "Asks about pain")
    rows = [judgement(rubric, True, n % 2 == 0) for n in range(40)]
    apart = figures([Judged(str(n), row) for n, row in enumerate(rows)]).completion_micro
    joined = figures([Judged(str(n // 20), row) for n, row in enumerate(rows)]).completion_micro
    assert apart.value == joined.value == 0.75
    assert (apart.clusters, joined.clusters) == (40, 2)
    assert None not in (apart.low, apart.high, joined.low, joined.high)
    assert (joined.high or 0) - (joined.low or 0) > 2 * ((apart.high or 0) - (apart.low or 0))


def test_what_is_unscored_is_counted_and_bounded_and_never_zero() -> None:
    rubric = rubric_of("Washes hands", "Asks about pain")
    rows = [judgement(rubric, True, True) for _ in range(9)] + [judgement(rubric, True, None)]
    found = figures([Judged(str(n), row) for n, row in enumerate(rows)])
    for figure in (found.completion_micro, found.completion_macro):
        assert (figure.value, figure.n, figure.unscored) == (1, 9, 1)
        assert figure.bounds == (0.9, 1)
    assert found.critical.n == found.critical.unscored == 0
    assert found.critical.without == 10


def test_only_the_mean_of_net_scores_is_clipped() -> None:
    rubric = rubric_of("Washes hands", "Uses jargon", "Interrupts the patient", "Blames the patient")
    bad, good = judgement(rubric, False, True, True, True), judgement(rubric, True, False, False, False)
    assert bad.scores.net.value == -3
    assert figures([Judged("a", bad)]).net.value == 0
    assert figures([Judged("a", bad), Judged("b", good)]).net.value == 0, "one bad episode weighs in full"
    assert figures([Judged("a", good)] * 4 + [Judged("b", bad)]).net.value == pytest.approx(0.2)


def test_each_competency_has_its_own_figures() -> None:
    rubric = rubric_of(case_id="a")
    whole = judgement(rubric, *(item.competency == "PC" for item in rubric.items))
    found = figures_by_competency([Judged("a", whole)])
    assert list(found) == ["PC", "MK", "SBP", "ICS", "PBLI", "PROF"]
    assert found["PC"].completion_micro.value == 1
    assert found["MK"].completion_micro.value == 0
    assert found["PBLI"].completion_micro.value is None
    assert found["PBLI"].completion_micro.n == 0


# The published file


def test_the_published_file_holds_every_item_and_counts_the_frozen_set() -> None:
    rubric = rubric_of(case_id="a")
    whole = judgement(rubric, *(n % 2 == 0 for n in range(len(rubric.items))))
    value = final_evaluation(whole, "2026-01-01T00:00:00+00:00")
    assert value is not None
    source = published_of("a")
    for name in ("PC", "MK", "SBP", "ICS", "PBLI", "PROF"):
        assert list(value[name]) == source[name], "the words as published"
    assert value["_score_summary"] == {
        "completed_items": 7,
        "total_items": 14,
        "false_items": 7,
        "completion_ratio": 0.5,
    }
    assert value["_rubric_case_id"] == "a"


def test_without_a_score_there_is_no_file_and_doubled_words_count_twice() -> None:
    assert final_evaluation(judgement(MIXED, True, True, None, False), "now") is None
    doubled = rubric_of("Washes hands", "Washes hands")
    for holds in ((True, False), (False, True)):
        value = final_evaluation(judgement(doubled, *holds), "now")
        assert value is not None
        assert value["PC"] == {"Washes hands": False}
        assert value["_score_summary"]["total_items"] == 2
        assert value["_score_summary"]["completed_items"] == 1
